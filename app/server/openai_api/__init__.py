"""OpenAI's API, answered by runs.

chat_routes      models and chat completions
response_routes  responses
chat_templates   what chat interfaces wrap around questions, and ask beside them
answers          a run as progress, text and sources
"""
