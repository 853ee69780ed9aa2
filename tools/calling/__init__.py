"""Tool calling: one door with policies, a result cache, single flight, substitutes and circuit breakers."""
