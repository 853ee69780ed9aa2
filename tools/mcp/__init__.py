"""MCP client: the tools of Model Context Protocol servers, as tools of ours.

    servers      the file that names them (`mcpServers`, as desktop clients write it)
    stdio        the pipes to a process, a message at a time, each bounded
    transport    how a server is reached
    oauth        the login to a server over HTTP, its tokens in a file
    connection   one server: connected, watched, connected again
    elicitation  what a server asks the user in mid-call
    call_gate    the calls under way, and which of them asks
    problems     what is wrong with a server, in a line of each language
    pool         the connections of this process, on an event loop and a thread of their own
    definitions  what a server says of its tools: bounded, checked, never trusted
    content      what a call gave, as text and passages with a source
    tool         the LangChain tool that makes the call

Needs the extra `mcp`; nothing here is imported before a file of servers is set.
"""
