"""Long answers: a report is outlined, written in parallel sections, and assembled."""
