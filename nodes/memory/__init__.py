"""Memory: knowledge from earlier questions and the user's wishes.

    memory_store   one user's entries in LangGraph's store; answering continues if it fails
    reuse          earlier answers given again, plans of the same wording filled again
    wishes         what a user said holds for all their questions
    procedures     a user's files that say how questions of a kind are answered
    briefing       what a planner is told: procedures that fit, and wishes
    thread_memory  a long conversation condensed, its sources kept
    recall         an index of things by their phrases

Memory makes an answer better or quicker, never possible. No text from a page becomes a memory.
"""
