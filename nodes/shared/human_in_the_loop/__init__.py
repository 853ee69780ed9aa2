"""The forms in which a person is asked: `approval_answer` puts the question and reads what comes back."""
