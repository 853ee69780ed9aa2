"""Persistence: checkpoint savers, the store, threads and their locks, forks."""
