"""`pace serve`: any client of OpenAI's form gets threads with memory."""
