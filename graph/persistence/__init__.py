"""Persistence: checkpoint savers, the store, threads and thread locks, forks."""
