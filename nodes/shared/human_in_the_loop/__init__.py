"""The forms in which a person is asked: `request` puts the question, `approval_answer` reads what comes back."""
