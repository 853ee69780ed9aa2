"""What a task can do: tools, how they are called, and which there are. Imports state and text.

Modules: `registry` (the tools of a run), `tool_info` (what is known of a tool), `built_in` and
`user_tools` (where tools come from), `passages` (what they give), `async_tool` (their base),
`bounded_log`, `file_lock`, `worker_process`, `private_files`. Rooms:
`calling`, `selection`, `usage`, `compute`, `corpus`, `web`, `mcp`.
"""
