"""The set-up: a model and how it is found, what there is and what is missing, `.env` files and trusted folders."""
