"""What is said of a fault that nobody foresaw: its type alone, since its text may quote words."""


def fault_sentence(error: BaseException) -> str:
    """One sentence for a person; never a word of the conversation."""
    return f"Pace failed ({type(error).__name__}); that is a fault of Pace itself."
