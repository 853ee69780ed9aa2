"""Quotas and the event log, over the database of `weiwo.app.records`.

quota    what a user may keep
run_log  the events of runs: live, and from the database
"""
