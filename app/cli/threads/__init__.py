"""Thread commands. Threads are read from checkpoints.

thread_list  `weiwo threads`
removal      `weiwo threads remove`
show         `weiwo show`
checkpoints  the checkpoints of a thread, shown
"""
