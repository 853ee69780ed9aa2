"""What is remembered for whoever sits at this machine: listed, changed and forgotten.

access      the memory that a command opens, its entries printed and forgotten
wishes      `weiwo memory`
plans       `weiwo plans`
procedures  `weiwo procedures`
"""
