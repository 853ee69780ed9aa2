"""The tool calls of a turn.

- `tool_calls`: calls made at the same time on one slot
- `consent`: a person allows a call that acts, changes it, or refuses
- `isolation`: protection from tools that swallow their cancellation or end themselves
- `walls`: pages that show a consent form or paywall in place of the content
"""
