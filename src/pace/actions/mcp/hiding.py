"""Takes secrets out of what a server's program complains, before any of it is shown.

A program seldom prints a secret as it stands in the file: it prints the key without the word before
it, or the end of it. So every run of characters that stands in a secret, too, is hidden.
"""

from collections.abc import Iterable

HIDDEN = "[hidden]"
_RUN = 8
_SHORTEST = 4


def without_secrets(text: str, secrets: Iterable[str], *, is_cut: bool = False) -> str:
    """The text, without what occurs in a secret. One that `is_cut` has lost its beginning."""
    known = [secret for secret in secrets if len(secret) >= _SHORTEST]
    runs = {secret[at : at + _RUN] for secret in known for at in range(len(secret) - _RUN + 1)}
    is_hidden = [False] * len(text)
    for at in range(len(text) - _RUN + 1):
        if text[at : at + _RUN] in runs:
            is_hidden[at : at + _RUN] = [True] * _RUN
    for short in {secret for secret in known if len(secret) < _RUN}:
        at = text.find(short)
        while at >= 0:
            is_hidden[at : at + len(short)] = [True] * len(short)
            at = text.find(short, at + 1)
    if is_cut:
        # What a cut has left of a secret may be too short to be known by itself.
        ends = (text[:end] for end in range(min(len(text), _RUN - 1), 0, -1))
        rest = next((end for end in ends if any(secret.endswith(end) for secret in known)), "")
        is_hidden[: len(rest)] = [True] * len(rest)
    return _shown(text, is_hidden)


def _shown(text: str, is_hidden: list[bool]) -> str:
    pieces: list[str] = []
    was_hidden = False
    for character, hides in zip(text, is_hidden, strict=True):
        if not hides:
            pieces.append(character)
        elif not was_hidden:
            pieces.append(HIDDEN)
        was_hidden = hides
    return "".join(pieces)
