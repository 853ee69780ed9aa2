"""The agents, a folder each: `node.py` is one function from state to update, `prompt.py` every word a model is told."""
