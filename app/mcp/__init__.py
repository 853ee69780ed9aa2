"""Weiwo as an MCP server with read-only tools. A run of the server asks no questions back.

server   the tools and their results
runs     the runs behind them, kept for an hour; the user's settings and spending limits
"""
