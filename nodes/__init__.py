"""One agent a file, each with its prompt; `nodes.rules` decides where no model does."""
