"""What a task can do: tools, how they are called, and which there are. Imports state and text."""
