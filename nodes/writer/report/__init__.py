"""Long answers: a report is outlined, its sections are written side by side, and what they say is put together."""
