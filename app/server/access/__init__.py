"""Who may use the server, and for how much: checks before any route.

guard         host, origin, login and rate, before any route
connections   how many, and how long one may be silent
auth          tokens and cookies
oidc          OpenID Connect
login_routes  logging in and out; a user's own model key
profiles      what the operator sets for a user
budgets       what a user may spend a day
user_corpora  whose a corpus is
"""
