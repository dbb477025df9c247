"""Finds notes by their words, and shows a piece of each."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pace.actions.notes.files import NoteFile, listed, text_of
from pace.actions.notes.names import key_of
from pace.actions.telling import shown

_MOST_SHOWN = 10
_SNIPPET = 160
_BEFORE = 50
# Of a request in many words the short ones seldom name a thing.
_SHORT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A note that was found, and a piece of it around the first of the words."""

    title: str = field(repr=False)
    snippet: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a search gave: how many notes, and the best of them."""

    total: int
    best: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class _Hit:
    rank: tuple[int, int, float]
    title: str
    text: str


def searched(folder: Path, query: str) -> Search:
    """The notes with every word; if none has, those with most of the longer words."""
    words = re.findall(r"\w+", key_of(query))
    notes = [note for note in listed(folder) if not note.leads_out]
    hits = [hit for note in notes if (hit := _hit(note, words))]
    if words and not any(hit.rank[0] == len(set(words)) for hit in hits):
        words = [word for word in words if len(word) > _SHORT] or words
        hits = [hit for note in notes if (hit := _hit(note, words))]
    most = max((hit.rank[0] for hit in hits), default=0)
    best = sorted((hit for hit in hits if hit.rank[0] == most), key=lambda hit: hit.rank)
    return Search(
        total=len(best),
        best=tuple(
            Found(title=shown(hit.title, 80), snippet=_snippet(hit.text, words))
            for hit in best[::-1][:_MOST_SHOWN]
        ),
    )


def _hit(note: NoteFile, words: Sequence[str]) -> _Hit | None:
    """How well a note answers: words found, those in its title, its age."""
    try:
        text = text_of(note)
    except OSError:
        return None
    title, whole = key_of(note.title), key_of(text)
    found = {word for word in words if word in whole or word in title}
    if words and not found:
        return None
    in_title = sum(word in title for word in set(words))
    return _Hit((len(found), in_title, note.changed_at), note.title, text)


def _snippet(text: str, words: Sequence[str]) -> str:
    """One line around the first word; from the beginning if it stands there in another form."""
    body = re.sub(r"\A\ufeff?# .*(?:\n|\Z)", "", text)
    line = " ".join(body.split())
    at = len(line)
    for word in words:
        if place := re.search(re.escape(word), line, re.IGNORECASE):
            at = min(at, place.start())
    start = max(0, at - _BEFORE) if at < len(line) else 0
    return ("…" if start else "") + shown(line[start:], _SNIPPET)
