"""HTTP server (`weiwo serve`) of the page and of clients, with the LangGraph server's API.

Every request passes the guard, which identifies the sender. A user reaches only their own threads, documents and
memory. A run goes on without the client that began it, and after a restart. An error is a `RequestError`: status and
one line.

Modules:
    application    routes, lifespan and errors of the application
    routes         every path, by API
    serve          the process
    engine         open resources, and the needs of OpenAI's API and the page
    health_routes  `/ready` and `/metrics`
    metrics        counters, and the log as JSON
    wire           JSON and server-sent events
    errors         the error of a request
    mcp_mount      `/mcp`
    access         access control and usage limits
    storage        quotas, and the log of events
    runs           runs in the background
    langgraph_api, openai_api, weiwo_api
    hosted         the last two as guests of another server
"""
