"""The agents, a folder each.

`node.py` is one function from state to update, and `prompt.py` holds all text sent to a model.
"""
