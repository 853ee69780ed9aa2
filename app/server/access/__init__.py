"""Access control and usage limits: checks before any route.

guard        host, origin, login and rate, before any route
connections  connection limits, and timeouts for silent connections
auth         tokens and cookies, logging in and out; a user's own model key
oidc         OpenID Connect
day_budgets  daily limits for questions and spending
profiles     the operator's settings for a user, and ownership of corpora
"""
