"""The transcript on screen: one list for words that were typed and words that were spoken.

It holds no memory and asks nobody; whoever runs a turn tells it what happens, and every screen
that watches hears of it.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from pace.journal.rows import Entry, TurnSource, TurnStatus
from pace.memory.prompt import PromptParts
from pace.memory.turn import SessionId, TurnId
from pace.ports import (
    ActionRequest,
    Loading,
    Notice,
    PlannerEvent,
    Reading,
    Reasoned,
    Shown,
    TextDelta,
    Thinking,
)
from pace.threads import EndCause, SessionEnded

# More than a person reads of a model's thoughts; the newest are kept.
_MOST_REASONING = 100_000


class RowStatus(StrEnum):
    """How far a row has come. The first two are of turns that are not over."""

    WAITING = "waiting"
    REPLYING = "replying"
    ANSWERED = "answered"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTimes:
    """What a person waited for between the end of their speech and the first sound of the reply.

    `pause` until they were taken to be done, `recognised` until their words were known as well,
    `read` until the planner had read the prompt and gave its first word, `written` until there was
    a clause to speak, `voiced` until it sounded.
    """

    pause: timedelta
    recognised: timedelta
    read: timedelta
    written: timedelta
    voiced: timedelta

    @property
    def total(self) -> timedelta:
        """All of it."""
        return self.pause + self.recognised + self.read + self.written + self.voiced


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A person's words and the reply as far as it has come; the same row from first to last.

    `activity` is what the planner does before its first words; `reasoning` is what it told of its
    thoughts, for the screen alone. `notices` are sentences about the reply. `asks` is an action
    that waits for the person's word, `shown` what actions brought to the screen. `trouble` is a
    sentence for a turn that failed, or that failed after it had acted. `unheard` was written of an
    interrupted reply and did not sound any more: for the screen alone. `number` is that of the
    journal, for a row that was loaded from it. `sent` is the prompt of a turn that was answered,
    `first_words_after` how long its first words took, and `spoken` what a spoken one waited for.
    """

    turn_id: TurnId
    source: TurnSource
    said_at: datetime
    user_text: str
    reply_text: str = ""
    status: RowStatus = RowStatus.WAITING
    activity: Loading | Reading | Thinking | None = None
    reasoning: str = ""
    notices: tuple[str, ...] = ()
    asks: ActionRequest | None = None
    shown: tuple[str, ...] = ()
    cut_off: bool = False
    broke_off: bool = False
    trouble: str = ""
    unheard: str = ""
    replaces: TurnId | None = None
    number: int | None = None
    sent: PromptParts | None = None
    first_words_after: timedelta | None = None
    spoken: SpokenTimes | None = None

    @property
    def is_open(self) -> bool:
        """Whether its turn is not over yet."""
        return self.status in {RowStatus.WAITING, RowStatus.REPLYING}


@dataclass(frozen=True, slots=True)
class Divider:
    """Where a session ended by itself or by the person's word."""

    session_id: SessionId
    cause: EndCause


Line = Row | Divider


class ChangeKind(StrEnum):
    """What happened to a line; after ALL nothing that was shown can be counted on."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the transcript. `line` is as it is now, or was last; None for ALL."""

    kind: ChangeKind
    line: Line | None = None


_SHOWN = {
    TurnStatus.ANSWERED: RowStatus.ANSWERED,
    TurnStatus.INTERRUPTED: RowStatus.INTERRUPTED,
    TurnStatus.FAILED: RowStatus.FAILED,
}


class ChatSession:
    """The lines of one conversation, in the order in which its turns were accepted.

    `is_muted` says that replies are not to be spoken; it is never stored.
    """

    def __init__(self) -> None:
        self.is_muted = False
        self._lines: list[Line] = []
        self._listeners: list[Callable[[Change], None]] = []

    def subscribe(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Tell a listener of every change, at once; what is given back ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # --- questions

    @property
    def lines(self) -> tuple[Line, ...]:
        """What stands on the screen; a row that is being replaced makes way meanwhile."""
        replaced = {row.replaces for row in self._lines if isinstance(row, Row) and row.is_open} - {
            None
        }
        return tuple(
            line for line in self._lines if not (isinstance(line, Row) and line.turn_id in replaced)
        )

    @property
    def last_row(self) -> Row | None:
        """The newest turn of the live session that holds a reply; None after a divider."""
        for line in reversed(self.lines):
            if isinstance(line, Divider):
                return None
            if line.reply_text and not line.is_open and line.status is not RowStatus.FAILED:
                return line
        return None

    @property
    def waiting_rows(self) -> tuple[Row, ...]:
        """The turns behind the one that is being answered."""
        return tuple(row for row in self.lines if isinstance(row, Row) and row.is_open)[1:]

    @property
    def open_row(self) -> Row | None:
        """The first turn that is not over."""
        return next((row for row in self.lines if isinstance(row, Row) and row.is_open), None)

    def row(self, turn_id: TurnId) -> Row | None:
        """The row of a turn, if it is here."""
        at = self._at(turn_id)
        line = None if at is None else self._lines[at]
        return line if isinstance(line, Row) else None

    def filtered(self, text: str) -> tuple[Row, ...]:
        """The rows that hold a text, letter case aside, in words or reply."""
        wanted = text.casefold()
        return tuple(
            line
            for line in self.lines
            if isinstance(line, Row)
            and (wanted in line.user_text.casefold() or wanted in line.reply_text.casefold())
        )

    # --- what happens

    def submit(self, row: Row) -> bool:
        """Show words at once, before anybody has accepted them; False for a turn known already."""
        if self._at(row.turn_id) is not None:
            return False
        self._lines.append(row)
        self._tell(Change(ChangeKind.ADDED, row))
        if row.replaces is not None and (old := self.row(row.replaces)) is not None:
            self._tell(Change(ChangeKind.REMOVED, old))
        return True

    def hear(self, turn_id: TurnId, event: PlannerEvent, after: timedelta | None = None) -> None:
        """Let the reply grow in its row; `after` is the time since its turn began."""
        row = self.row(turn_id)
        if row is None or not row.is_open:
            return
        if isinstance(event, TextDelta):
            grown = replace(
                row,
                reply_text=row.reply_text + event.text,
                status=RowStatus.REPLYING,
                activity=None,
                first_words_after=row.first_words_after if row.reply_text else after,
            )
            self._put(grown)
        elif isinstance(event, Reasoned):
            told = row.reply_text.removeprefix(event.kept)
            self._put(
                replace(
                    row,
                    reply_text=event.kept,
                    activity=Thinking(),
                    reasoning=(row.reasoning + told)[-_MOST_REASONING:],
                )
            )
        elif isinstance(event, Loading | Reading | Thinking):
            told = event.text if isinstance(event, Thinking) else ""
            reasoning = (row.reasoning + told)[-_MOST_REASONING:]
            self._put(replace(row, status=RowStatus.REPLYING, activity=event, reasoning=reasoning))
        elif isinstance(event, Notice):
            self._put(replace(row, notices=(*row.notices, event.sentence)))
        elif isinstance(event, Shown):
            self._put(replace(row, shown=(*row.shown, event.text)))

    def timed(self, turn_id: TurnId, times: SpokenTimes) -> None:
        """The reply to spoken words sounds; this is what it waited for."""
        if (row := self.row(turn_id)) is not None:
            self._put(replace(row, spoken=times))

    def ask(self, turn_id: TurnId, request: ActionRequest | None) -> None:
        """Show an action that waits for the person's word; None when it waits no more."""
        row = self.row(turn_id)
        if row is not None and row.asks != request:
            self._put(replace(row, asks=request))

    def commit(
        self,
        turn_id: TurnId,
        reply: str,
        *,
        interrupted: bool,
        cut_off: bool,
        broke_off: bool = False,
        sent: PromptParts | None = None,
        trouble: str = "",
    ) -> None:
        """The pair as it was recorded takes its row's place, and that of the pair it replaces."""
        row = self.row(turn_id)
        if row is None:
            return
        status = RowStatus.INTERRUPTED if interrupted else RowStatus.ANSWERED
        if row.replaces is not None:
            self._drop(row.replaces)
        done = replace(
            row,
            reply_text=reply,
            status=status,
            activity=None,
            cut_off=cut_off,
            broke_off=broke_off,
            sent=sent,
            asks=None,
            trouble=trouble,
            unheard=row.reply_text[len(reply) :] if row.reply_text.startswith(reply) else "",
        )
        self._put(done)

    def fail(self, turn_id: TurnId, trouble: str) -> None:
        """The turn came to nothing; what it was to replace is back."""
        row = self.row(turn_id)
        if row is None:
            return
        failed = RowStatus.FAILED
        self._put(
            replace(row, reply_text="", status=failed, activity=None, asks=None, trouble=trouble)
        )
        if row.replaces is not None and self._at(row.replaces) is not None:
            self._tell(Change(ChangeKind.ALL))

    def remove(self, turn_id: TurnId) -> None:
        """Take a row away: taken back, or a failure that was seen."""
        row = self.row(turn_id)
        if row is not None:
            self._drop(turn_id)
            self._tell(Change(ChangeKind.REMOVED, row))

    def divide(self, ended: SessionEnded) -> None:
        """Mark where a session ended; what stands above is not remembered any more."""
        divider = Divider(ended.session_id, ended.cause)
        self._lines.append(divider)
        self._tell(Change(ChangeKind.ADDED, divider))

    def load(self, entries: Sequence[Entry]) -> None:
        """Put turns of the journal ahead of all lines; those that were replaced are left out."""
        known = {line.turn_id for line in self._lines if isinstance(line, Row)}
        self._lines[:0] = [
            _past(entry)
            for entry in entries
            if entry.turn.status in _SHOWN and entry.turn.turn_id not in known
        ]
        self._tell(Change(ChangeKind.ALL))

    def clear(self, *, keep: Collection[TurnId] = ()) -> None:
        """Begin with an empty screen; turns that are not over stay, and those to keep."""
        self._lines = [
            line
            for line in self._lines
            if isinstance(line, Row) and (line.is_open or line.turn_id in keep)
        ]
        self._tell(Change(ChangeKind.ALL))

    # --- inside

    def _at(self, turn_id: TurnId) -> int | None:
        # From the end, where nearly everything happens.
        for at in range(len(self._lines) - 1, -1, -1):
            line = self._lines[at]
            if isinstance(line, Row) and line.turn_id == turn_id:
                return at
        return None

    def _put(self, row: Row) -> None:
        at = self._at(row.turn_id)
        if at is not None:
            self._lines[at] = row
            self._tell(Change(ChangeKind.CHANGED, row))

    def _drop(self, turn_id: TurnId) -> None:
        at = self._at(turn_id)
        if at is not None:
            del self._lines[at]

    def _tell(self, change: Change) -> None:
        for listener in tuple(self._listeners):
            listener(change)


def _past(entry: Entry) -> Row:
    turn = entry.turn
    return Row(
        turn_id=turn.turn_id,
        source=turn.source,
        said_at=turn.said_at,
        user_text=turn.user_text,
        reply_text=turn.reply_text,
        status=_SHOWN[turn.status],
        number=entry.number,
    )
