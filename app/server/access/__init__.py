"""Who may use the server, and for how much: checks before any route.

guard        host, origin, login and rate, before any route
connections  how many, and how long one may be silent
auth         tokens and cookies, logging in and out; a user's own model key
oidc         OpenID Connect
day_budgets  what a user may ask and spend a day
profiles     what the operator sets for a user, and whose a corpus is
"""
