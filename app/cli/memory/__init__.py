"""Memory commands for the local user: list, change and forget entries.

access      the memory that a command opens, its entries printed and forgotten
wishes      `weiwo memory`, its `add`, `forget` and `answers`
plans       its `plans`
procedures  its `procedures`
"""
