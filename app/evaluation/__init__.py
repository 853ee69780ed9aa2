"""End-to-end evaluation: questions with known answers, asked of Weiwo and of plainer systems beside it."""
