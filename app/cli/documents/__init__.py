"""Documents: what is indexed, found, and known of searches.

index   `weiwo index`
corpus  `weiwo corpus`; the corpus that a command opens
search  `weiwo search`
stats   `weiwo stats`
"""
