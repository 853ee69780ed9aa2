"""Weiwo as an MCP server, whose tools only read; a run behind it asks nobody.

server   the tools and their results
runs     the runs behind them, kept for an hour; whose settings count, and what they may spend
"""
