"""What several agents use: the run context, references, passages as prompt text, guards on model-made text."""
