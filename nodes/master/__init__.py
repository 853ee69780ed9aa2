"""The master: judges how much machinery a question deserves, and sets up the team for it.

Contract: `node.master` opens a turn: it returns the whole state of a question, its `Assessment` with the strategy
chosen from `nodes.shared.strategy`, the team, and the plan of a question that one task answers.

- `node`: the turn
- `assessment`: the judgement, by features and by a model
- `complexity`: static features and their score
- `clarify`: one question back where a question can mean several things
- `followup`: a follow-up made to stand on its own
- `prompt`: what a model is told, and what it replies with
"""
