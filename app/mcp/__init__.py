"""Weiwo as an MCP server: its tools, and the runs behind them."""
