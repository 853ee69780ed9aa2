"""What is decided by rule: question shapes, the plans they call for, values read from passages, sentences.

With no model configured these rules are all there is; with one they stand behind every call that fails.
"""
