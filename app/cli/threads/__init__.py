"""Threads, read from their checkpoints.

thread_list  `weiwo threads`
removal      its `remove`
show         `weiwo show`
checkpoints  the moments of a thread
"""
