"""Asking: a run from the question to its answer.

ask          `weiwo ask`
fork         its `--from`: an earlier moment of a thread, changed
check        `weiwo check`
resume       `weiwo resume`
conclude     the end of a run: what waits is asked about until there is a result
requests     requests to a person: their common ground, a question back, a tool that acts
approval     a plan that waits
elicitation  what an MCP server asks
plan_files   plans as files, and in an editor
delivery     who watches a run, how its result is printed, files that are asked for
offers       the web, and lasting wishes, offered at the terminal
spending     what answers took, and what a deep search will
feedback     `weiwo feedback`
"""
