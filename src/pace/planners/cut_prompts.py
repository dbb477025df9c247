"""Notices that a server has read less than it was sent: some cut a prompt in silence.

The server's count is compared with the fewest tokens that any tokenizer could make of the words, so
that no difference between tokenizers is taken for a cut.
"""

import re
from collections.abc import Iterable

# A word or a number is a token at least, and so is a sign with nothing after it to join. Signs of
# scripts without spaces are counted apart.
_PIECE = re.compile(r"[^\W぀-ヿ㐀-鿿]['’\w]*|[^\w\s](?=\s|$)")
_DENSE = re.compile(r"[぀-ヿ㐀-鿿]")
# Four of them make one token at best: o200k has 0.5 to 0.86 for each in ordinary text.
_DENSE_IN_A_TOKEN = 4
# Fewer tokens than this are missing for other reasons than a cut.
_LEAST_CUT = 64
# Tokenizers that join a sign to the word before it make some less.
_SHARE = 0.9


def least_tokens(texts: Iterable[str]) -> int:
    """The fewest tokens that a tokenizer could make of these texts."""
    return sum(
        len(_PIECE.findall(text)) + len(_DENSE.findall(text)) // _DENSE_IN_A_TOKEN for text in texts
    )


def is_cut(read: int, least: int) -> bool:
    """Whether a server that says it read so many tokens of a prompt has cut it."""
    return 0 < read < _SHARE * least and least - read >= _LEAST_CUT
