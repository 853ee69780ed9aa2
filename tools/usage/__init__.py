"""Tool usage: how often each tool was called, how it fared, and what that teaches of how to call it."""
