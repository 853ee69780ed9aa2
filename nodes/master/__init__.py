"""The master: judges how complex a question is, and sets up the team.

Contract: `node.master` opens a turn. It returns the whole state of a question: its `Assessment` with the strategy
chosen from `nodes.shared.strategy`, the team, and the plan if one task answers the question.

- `node`: the turn
- `assessment`: the judgement, by features and by a model
- `complexity`: features of the parsed question, and their score
- `clarify`: a question back if a question can mean several things
- `followup`: a follow-up rewritten to stand on its own
- `prompt`: prompts for a model, and the model's replies
"""
