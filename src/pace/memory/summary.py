"""The rolling summary, and what a fold takes in and gives back."""

from dataclasses import dataclass
from enum import StrEnum

from pace.memory.turn import SessionId, ThreadId, TurnPair


class Speaker(StrEnum):
    """Whose words a clause holds; EARLIER when a model's summary had already blended them."""

    USER = "user"
    PACE = "pace"
    EARLIER = "earlier"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One piece of a summary that was written without a model: words of one utterance, in order.

    `number` is the number of the pair in which they were said; 0 when `speaker` is EARLIER.
    """

    speaker: Speaker
    text: str
    number: int

    def __reduce__(self) -> tuple[object, ...]:
        # Summaries go to the process that folds and back with each turn; what dataclasses do by
        # themselves takes twice as long.
        return _clause, (self.speaker, self.text, self.number)


def _clause(speaker: Speaker, text: str, number: int) -> Clause:
    return Clause(speaker=speaker, text=text, number=number)


@dataclass(frozen=True, slots=True, kw_only=True)
class RollingSummary:
    """One paragraph for everything older than the window.

    `covers` is the number of the last pair it covers; every older pair is covered too. `clauses`
    are set at the end of the text, by `render_clauses`; what stands before them, a model wrote. So
    an extractive summary is its clauses alone, and a model's has those that were given back to it.
    `version` grows with every change of the text, for the life of the thread.
    """

    text: str = ""
    version: int = 0
    covers: int = 0
    made_by: str = ""
    clauses: tuple[Clause, ...] = ()

    @property
    def prose(self) -> str:
        """The text that stands before the clauses: a model's words; empty if there are none.

        A text that does not end with its clauses is a model's whole.
        """
        told = render_clauses(self.clauses)
        if not told:
            return self.text
        if not self.text.endswith(told):
            told = " ".join(told.split())  # as a thread holds any text
        if self.text == told:
            return ""
        return self.text.removesuffix(f" {told}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """One summarizer call: the prior summary and all pending pairs, oldest first, and a budget.

    `version` was stamped before the call and is newer than every version before it. `budget` is in
    tokens, by the estimate of `pace.memory.tokens`. `prefix` is the digest of the client's history
    that it folds; empty for the thread's own memory.
    """

    thread_id: ThreadId
    session_id: SessionId
    version: int
    prior: RollingSummary
    pairs: tuple[TurnPair, ...]
    budget: int
    prefix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryUpdate:
    """A finished fold: a new summary text for one session, its version, and what it covers.

    `covers` is the number of the last pair in it, `prefix` the fold's own. `clauses` are those that
    stand at the end of the text, as in a RollingSummary; a model gives none by itself.
    """

    session_id: SessionId
    version: int
    covers: int
    text: str
    made_by: str
    clauses: tuple[Clause, ...] = ()
    prefix: str = ""


def held_summary(update: SummaryUpdate, text: str) -> RollingSummary:
    """The summary that an update leaves, with this text."""
    return RollingSummary(
        text=text,
        version=update.version,
        covers=update.covers,
        made_by=update.made_by,
        clauses=update.clauses,
    )


class SummaryOutcome(StrEnum):
    """What became of a summary update."""

    APPLIED = "applied"
    OTHER_SESSION = "other session"
    STALE = "stale"
    COVERS_LESS = "covers less"
    COVERS_UNKNOWN = "covers pairs that are not pending"
    EMPTY = "empty"
    TOO_LONG = "longer than the summary budget"


_LEADS = {Speaker.EARLIER: "Earlier: ", Speaker.USER: "The user: ", Speaker.PACE: "The assistant: "}


def render_clauses(clauses: tuple[Clause, ...]) -> str:
    """Set clauses as one paragraph, grouped by speaker, in the order in which they were said.

    A question mark parts what follows it from what stands before, and needs no other sign.
    """
    groups = (
        (lead, [clause.text for clause in clauses if clause.speaker is speaker])
        for speaker, lead in _LEADS.items()
    )
    return " ".join(lead + _sentence(texts) for lead, texts in groups if texts)


def _sentence(texts: list[str]) -> str:
    parted = (text if text.endswith("?") else f"{text};" for text in texts[:-1])
    last = texts[-1] if texts[-1].endswith("?") else f"{texts[-1]}."
    return " ".join((*parted, last))
