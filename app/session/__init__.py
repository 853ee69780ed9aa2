"""Shared by command and server: the graph on an open database, runs, and stored threads.

session             the open database and the graph upon it; how a run ends
runs                asks a question, or resumes an interrupted run
waiting             the requests a thread waits for
refresh             an answer looked up again if its sources changed
thread              a thread as its newest checkpoint has it
revisions           the earlier plans of a thread
checkpoint_events   the contents of a checkpoint, as events
memory_listing      the memory, listed
langsmith_feedback  feedback sent to LangSmith
"""
