"""Tools that compute: the calculator and date differences."""
