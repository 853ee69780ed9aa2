"""Memory: what a question is given of earlier ones, and of how its user wants things done."""
