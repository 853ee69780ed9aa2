"""`weiwo procedures`, `plans`, `memory` and `watch`: what is remembered, listed, changed and forgotten."""
