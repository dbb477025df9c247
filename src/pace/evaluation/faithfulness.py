"""What a summary says that nobody said, or says otherwise than it was said."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from pace.evaluation.matching import Positions
from pace.evaluation.replay import Moment, Replay
from pace.evaluation.stems import Stem, sentences_of, stems_of, telling_stems
from pace.evaluation.talks import SaidTurn, Side, Talk
from pace.memory.summary import RollingSummary, Speaker
from pace.summarizers.source import Source
from pace.summarizers.values import values_in

# What a summary says of its speakers is no word of theirs.
_FRAME = frozenset(
    telling_stems(
        "user assistant pace summary conversation earlier said says asks asked talks talked "
        "mentioned mentions told tells wants discussed speaker person turn notes previously "
        "context human bot new"
    )
)
_NEGATIONS = frozenset(
    stem.text
    for stem in stems_of("not no never none nobody nothing nowhere neither nor cannot without")
)
# A statement is that of a sentence which holds this share of its telling words, if it has so many.
_ALIKE = 0.75
_FEWEST_WORDS = 3
_WHO = re.compile(r"\b(user|assistant|pace)\b", re.IGNORECASE)
_SIDES = {Speaker.USER: Side.USER, Speaker.PACE: Side.ASSISTANT}


@dataclass(frozen=True, slots=True, kw_only=True)
class Faithfulness:
    """Counts over the summaries of all moments.

    Of `words` that tell something, `new_words` were said by nobody. `numbers` and `names` are those
    that nobody said. Of `statements`, in `other_speaker` something checkable stands that only the
    other side said, and `negation_lost` leave out a "not" that stood by their words. Of `corrected`
    facts, those that no longer hold, `outdated` stand in a summary whose prompt does not hold
    what they were corrected to, and `outdated_beside` beside it.
    """

    words: int = 0
    new_words: int = 0
    numbers: int = 0
    names: int = 0
    statements: int = 0
    other_speaker: int = 0
    negation_lost: int = 0
    corrected: int = 0
    outdated: int = 0
    outdated_beside: int = 0

    def __add__(self, other: "Faithfulness") -> "Faithfulness":
        return Faithfulness(
            **{name: getattr(self, name) + getattr(other, name) for name in self.__slots__}
        )


def faithfulness_of(replays: Sequence[Replay]) -> Faithfulness:
    """Compare each moment's summary with all that was said until then."""
    counts = Faithfulness()
    for replayed in replays:
        for moment in replayed.moments:
            if moment.summary.text:
                counts += _counted(replayed.talk, moment)
    return counts


def statements_of(summary: RollingSummary) -> list[tuple[Side | None, str]]:
    """The sentences that a model wrote, and the clauses, and whose each of them says to be."""
    written = [(_named_in(sentence), sentence) for sentence in sentences_of(summary.prose)]
    return [*written, *((_SIDES.get(clause.speaker), clause.text) for clause in summary.clauses)]


def _named_in(sentence: str) -> Side | None:
    found = _WHO.search(sentence)
    if found is None:
        return None
    return Side.USER if found[0].lower() == "user" else Side.ASSISTANT


def _counted(talk: Talk, moment: Moment) -> Faithfulness:
    turns = talk.turns[: moment.turn + 1]
    statements = statements_of(moment.summary)
    told = "\n".join(text for _, text in statements)
    said = {side: "\n".join(turn.said_by(side) for turn in turns) for side in Side}
    both = "\n".join(said.values())
    known = {*telling_stems(both), *_FRAME}
    words = telling_stems(told)
    source = Source(both)
    values = values_in(told)
    sides = {side: Source(text) for side, text in said.items()}
    heard = _Sentences(turns)
    outdated, beside, corrected = _outdated(talk, moment)
    return Faithfulness(
        words=len(words),
        new_words=sum(word not in known for word in words),
        numbers=sum(not source.has_number(number) for number in values.numbers),
        names=sum(not source.has_name(name) for name in values.names if name not in _ROLES),
        statements=len(statements),
        other_speaker=sum(_is_of_other(text, side, sides) for side, text in statements),
        negation_lost=sum(heard.lose_negation(text) for _, text in statements),
        corrected=corrected,
        outdated=outdated,
        outdated_beside=beside,
    )


_ROLES = frozenset({"User", "Assistant", "Pace", "The", "Earlier"})


def _is_of_other(text: str, side: Side | None, sides: dict[Side, Source]) -> bool:
    """Whether a statement holds a name or number that only the side it does not name has said."""
    if side is None:
        return False
    other = Side.ASSISTANT if side is Side.USER else Side.USER
    values = values_in(text)
    unsaid = sides[side].missing(values) - _ROLES
    return bool(unsaid - sides[other].missing(values))


class _Sentences:
    """All sentences that were said, to find the one that a statement was made from."""

    def __init__(self, turns: Sequence[SaidTurn]) -> None:
        self._words: list[list[Stem]] = []
        self._with: defaultdict[str, set[int]] = defaultdict(set)
        for turn in turns:
            for side in Side:
                for sentence in sentences_of(turn.said_by(side)):
                    self._take(sentence)

    def _take(self, sentence: str) -> None:
        stems = stems_of(sentence)
        for stem in stems:
            if stem.tells:
                self._with[stem.text].add(len(self._words))
        self._words.append(stems)

    def lose_negation(self, statement: str) -> bool:
        """Whether its sentence negates the words that both hold, and it has no negation itself."""
        stems = stems_of(statement)
        words = {stem.text for stem in stems}
        telling = {stem.text for stem in stems if stem.tells} - _FRAME
        if len(telling) < _FEWEST_WORDS or words & _NEGATIONS:
            return False
        counts = Counter(at for word in telling for at in self._with.get(word, ()))
        most = max(counts.values(), default=0)
        if most < _ALIKE * len(telling):
            return False
        # If it could be of a sentence without a negation, it is.
        alike = [at for at, count in counts.items() if count == most]
        return all(self._negates(at, telling) for at in alike)

    def _negates(self, at: int, telling: set[str]) -> bool:
        """Whether a negation stands between such words, or before the first with no other word."""
        words = self._words[at]
        places = [place for place, word in enumerate(words) if word.text in telling]
        first = places[0]
        while first and not words[first - 1].tells:
            first -= 1
        return any(word.text in _NEGATIONS for word in words[first : places[-1]])


def _outdated(talk: Talk, moment: Moment) -> tuple[int, int, int]:
    """Corrected facts that stand in the summary without, and with, what corrects them; and all."""
    summary, context = Positions(moment.summary.text), Positions(moment.context)
    outdated = beside = corrected = 0
    for fact in talk.facts:
        if fact.until is None or fact.until >= moment.window_from:
            continue
        corrected += 1
        if not summary.hold_by_subject(fact):
            continue
        newer = [other for other in talk.facts if other.turn == fact.until]
        if any(context.hold(other) for other in newer):
            beside += 1
        else:
            outdated += 1
    return outdated, beside, corrected
