"""Human in the loop: the form of a request to a person, and the meaning of the answer."""
