"""`weiwo procedures`, `plans` and `memory`: what is remembered, listed, changed and forgotten."""
