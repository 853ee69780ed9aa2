"""Set-up: finding a model, checking the installation, trusted folders. Secrets are never shown.

setup           `weiwo setup`: the best model found, and why
embedding_probe an embedding model at the same server, and its benefit
doctor          `weiwo doctor`
endpoint_check  whether a model's endpoint answers
trust           `weiwo trust`
"""
