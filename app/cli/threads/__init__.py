"""Threads, read from their checkpoints.

thread_list  `weiwo threads`
show         `weiwo show`
checkpoints  the moments of a thread
"""
