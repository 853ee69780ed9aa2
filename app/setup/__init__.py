"""Setting up a model: what servers and keys there are, which model serves best, and the file that says so."""
