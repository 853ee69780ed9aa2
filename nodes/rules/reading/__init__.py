"""The parts of reading by rule: what is asked, which sentences speak of it, and where in them its value stands."""
