"""The LangGraph agent: planner, retriever, grader, generator."""
