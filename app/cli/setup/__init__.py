"""The set-up: what there is and what is missing, `.env` files, and the folders that are trusted."""
