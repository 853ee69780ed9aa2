"""What is remembered for whoever sits at this machine: listed, changed and forgotten.

access      the memory that a command opens, its entries printed and forgotten
commands    `weiwo memory`
wishes      its `add`, `forget` and `answers`
plans       its `plans`
procedures  its `procedures`
"""
