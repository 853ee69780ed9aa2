"""The LangGraph server's API: the assistant, threads, runs."""
