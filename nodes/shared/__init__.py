"""What several agents share.

- `strategy`: what is done about a question, by its level, the depth, the models and the tool: one table
- `run_context`: what an agent needs beside the state
- `question/`: the parser of questions and conversations
- `planning/`: plans by rule, references, identity, replanning
- `prompting/`: passages in prompts, what may leave a reply, what replies are made of
- `consistency`: values that cannot both be right
- `human_in_the_loop/`: the forms in which a person is asked
"""
