"""Forms for asking a person.

`approval_answer` puts the question and reads the answer.
"""
