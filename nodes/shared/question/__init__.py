"""The question: its text validated, and parsed once into a frame. Its phrasings are rows of data."""
