"""Asking: a run from the question to the answer.

ask          `weiwo ask`
fork         its `--from`: an earlier checkpoint of a thread, changed
check        `weiwo check`
resume       `weiwo resume`
conclude     the end of a run: asks about a waiting request until there is a result
requests     requests to a person: their common base, a question back, a tool that acts
approval     a plan that waits for approval
plan_files   plans as files, and in an editor
delivery     watching a run, printing its result, files that are asked for
offers       the web, and lasting wishes, offered at the terminal
spending     the cost of past answers, and the expected cost of a deep search
feedback     `weiwo feedback`
"""
