"""Reading Chinese and English: language, sentences, names, dates, numbers, search terms. Imports state."""
