"""Tool usage: how often each tool was called, how it fared, and what that teaches of how to call it.

Kept in bounded files of this machine, and nowhere else; `WEIWO_TELEMETRY=off` keeps none.

Modules: `usage_log` (calls), `task_log` (what tasks took, which tools answered together), `tool_notes`
(refined documentation).
"""
