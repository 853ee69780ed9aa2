"""The set-up: a model and how it is found, what there is and what is missing, trusted folders. No secret is shown.

setup           `weiwo setup`: which model serves well, and why
embedding_probe an embedding model at the same server, and what it brings
doctor          `weiwo doctor`
endpoint_check  whether a model's endpoint answers
trust           `weiwo trust`
"""
