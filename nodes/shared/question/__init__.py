"""The question: validated text, parsed once into a frame.

Its phrasings are rows of data.
"""
