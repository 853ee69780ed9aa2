"""The calls of a turn.

- `tool_calls`: made at the same time on one slot
- `consent`: a person allows a call that acts, changes it, or refuses
- `isolation`: foreign code that swallows its cancellation or ends itself
"""
