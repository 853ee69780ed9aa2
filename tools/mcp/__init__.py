"""MCP client: the tools of Model Context Protocol servers, as tools of ours.

    servers      the file naming the servers, in the format of desktop clients, and their tools for the registry
    pool         the connections of this process, on an event loop and a thread of their own
    connection   one server: connect, watch, reconnect
    transport    access to a server, over HTTP bounded in bytes
    stdio        the pipes to a process, a message at a time, each bounded
    oauth        the login to a server over HTTP, its tokens in a file
    definitions  a server's statements about its tools: bounded, checked, never trusted
    tool         the LangChain tool that makes the call
    results      the result of a call as text and passages
    toolset      the toolset for the registry
    problems     messages about problems of servers

A server's question to the user in mid-call (elicitation) is declined, and the person is told so. Needs the extra `mcp`.
Nothing here is imported before a file of servers is set.
"""
