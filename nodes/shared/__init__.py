"""Code shared by several agents.

- `strategy`: treatment of a question by level, depth, models and tool: one table
- `run_context`: an agent's resources beside the state
- `question/`: the parser of questions and conversations
- `planning/`: plans by rule, references, identity, replanning
- `prompting/`: passages in prompts, permitted content of a reply, building blocks of replies
- `consistency`: values that cannot both be right
- `human_in_the_loop/`: the forms in which a person is asked
"""
