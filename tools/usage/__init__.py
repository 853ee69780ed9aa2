"""Tool usage: call counts, outcomes and lessons about the calls of each tool.

Kept in bounded files on this machine, and nowhere else. `WEIWO_TELEMETRY=off` keeps none.

Modules: `usage_log` (calls), `task_log` (cost of tasks, and tools that answered together), `tool_notes` (refined
documentation).
"""
