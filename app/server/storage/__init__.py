"""The server's own database.

records  threads' owners, runs, spending, hashes of secrets
quota    what a user may keep
run_log  the events of runs: live, and from the database
"""
