"""What the command and the server share: the graph on an open database, runs on it, and threads as it keeps them."""
