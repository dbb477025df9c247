"""Text that every encoding of ours can carry."""


def sayable(text: str) -> str:
    """The text with a question mark for each half of a character that came without the other.

    Such halves come from arguments that are no UTF-8, and from servers that cut an emoji in two.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
