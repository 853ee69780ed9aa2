"""Tools of tasks: definitions, calls, selection. Imports state and text.

Modules: `registry` (the tools of a run), `tool_info` (metadata of a tool), `built_in` and `user_tools` (sources of
tools), `named_objects` (imports by name), `passages` (results), `async_tool` (the base class), `bounded_log`,
`file_lock`, `worker_process`, `private_files`. Packages: `calling`, `selection`, `usage`, `compute`, `tables`,
`corpus`, `web`, `mcp`.
"""
