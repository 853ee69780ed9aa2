"""The LangGraph server's API: the assistant, threads, runs.

assistant_routes  the server and its one assistant
thread_routes     threads and their states
threads           threads as clients see them
run_routes        begin, watch, wait, cancel; a thread's runs as one stream
event_protocol    the envelopes of `@langchain/react`
protocol_routes   its routes: watching a thread, commands on it
"""
