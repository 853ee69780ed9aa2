"""Claim verification against the cited sources: checks by code first, then entailment."""
