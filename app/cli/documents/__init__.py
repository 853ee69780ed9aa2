"""Commands for documents: indexing, search, and statistics of searches.

index   `weiwo index`
corpus  `weiwo corpus`; the corpus that a command opens
search  `weiwo search`
stats   `weiwo stats`
"""
