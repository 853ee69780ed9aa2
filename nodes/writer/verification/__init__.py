"""Claim verification: whether what an answer states is carried by what it cites. Code first, then entailment."""
