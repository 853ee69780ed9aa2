"""Documents: what is indexed, found, and known of searches.

index      `weiwo index`
corpora    `weiwo corpora`; the corpus that a command opens
search     `weiwo search`
telemetry  `weiwo telemetry`
"""
