"""Attacks on everything that Weiwo takes from outside, on loopback: `make attack`."""
