"""What the command and the server share: the graph on an open database, runs on it, and threads as it keeps them.

session             the open database and the graph upon it; how a run ends
runs                a question asked, or the rest of a run
refresh             an answer looked up again where its sources changed
thread              a thread as its newest checkpoint has it
revisions           the earlier plans of a thread
checkpoint_events   what a checkpoint tells, as events
memory_listing      what is remembered, listed
langsmith_feedback  feedback sent to LangSmith
"""
