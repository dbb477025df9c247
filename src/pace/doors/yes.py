"""What counts as a yes, for every door that asks in words."""

_YES = {"y", "yes"}


def is_yes(said: str | None) -> bool:
    """Whether a person's answer is a yes; whatever else it is, and none at all, is a no."""
    return (said or "").strip().lower() in _YES
