"""The page, OpenAI's API and the page's own routes as guests of a LangGraph server or Aegra."""
