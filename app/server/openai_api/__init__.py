"""OpenAI's API, answered by runs.

chat_routes      models and chat completions
response_routes  responses
answers          a run as progress, text and sources
"""
