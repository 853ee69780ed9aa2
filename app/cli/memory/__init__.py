"""What is remembered for whoever sits at this machine: listed, changed and forgotten.

access      the memory that a command opens, its entries printed and forgotten
wishes      `weiwo memory`, its `add`, `forget` and `answers`
plans       its `plans`
procedures  its `procedures`
"""
