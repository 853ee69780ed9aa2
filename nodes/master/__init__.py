"""The master: judges a question's complexity and sets up the team.

Contract: `node.master` opens a turn: it returns the whole state of a question, its `Assessment` with the strategy
chosen from `nodes.shared.strategy`, the team, and the plan of a question that one task answers.

- `node`: the turn
- `assessment`: the judgement, by features and by a model
- `complexity`: static features and their score
- `clarify`: one question back if a question can mean several things
- `followup`: a follow-up rewritten to stand on its own
- `prompt`: prompts for a model, and the model's replies
"""
