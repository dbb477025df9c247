"""What is said of a fault that nobody foresaw: type and place, for its text may quote words."""

from traceback import FrameSummary, extract_tb
from types import TracebackType


def fault_sentence(error: BaseException) -> str:
    """One sentence for a person; never a word of the conversation."""
    return f"Pace failed ({type(error).__name__}); that is a fault of Pace itself."


def place_of(traceback: TracebackType | None) -> FrameSummary | None:
    """Where it arose: the innermost call; None for an error that was never raised."""
    calls = extract_tb(traceback)
    return calls[-1] if calls else None
