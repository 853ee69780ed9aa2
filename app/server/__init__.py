"""`weiwo serve`: the HTTP server of the page and of clients, which speaks the LangGraph server's API.

Every request passes the guard, which says who sends it; a user reaches their own threads, documents and memory alone. A
run goes on without whoever began it, and after a restart. An error is a `RequestError`: a status and one line.

Modules:
    application    put together: routes, lifespan, errors
    routes         every path, by API
    serve          the process
    engine         what is open while it runs; what OpenAI's API and the page need of it, or of a host
    health_routes  `/ready` and `/metrics`
    metrics        what is counted; the log as JSON
    wire           JSON and server-sent events
    errors         the error of a request
    mcp_mount      `/mcp`
    access         who may, and how much
    storage        what a user may keep; the log of events
    runs           runs in the background
    langgraph_api, openai_api, weiwo_api
    hosted         the last two as guests of another server
"""
