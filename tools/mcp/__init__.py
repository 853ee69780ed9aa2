"""MCP client: the tools of Model Context Protocol servers, as tools of ours.

    servers      the file that names them, as desktop clients write it; from there to tools of the registry
    pool         the connections of this process, on an event loop and a thread of their own
    connection   one server: connected, watched, connected again
    transport    how a server is reached; over HTTP bounded in bytes
    stdio        the pipes to a process, a message at a time, each bounded
    oauth        the login to a server over HTTP, its tokens in a file
    definitions  what a server says of its tools: bounded, checked, never trusted
    tool         the LangChain tool that makes the call, and what it gave

What a server asks the user in mid-call (elicitation) is declined, and the person reads so. Needs the extra `mcp`;
nothing here is imported before a file of servers is set.
"""
