"""Plans: made by rule, sketched by a model, identified, filled with values, and replaced where they broke."""
