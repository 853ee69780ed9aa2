"""Retrieval evaluation: labelled sets, metrics, and the report on telemetry."""
