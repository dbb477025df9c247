"""Reads what a model wrote before it may land: mends what it can, and turns down the rest.

The reasons are design decision 5 and ADR 17. A summary that is let through is one paragraph within
its budget, in the language of the conversation, holds no name and no number that nobody said, and
keeps all of them that the extractive fold of the same pairs keeps: what the model lost is given
back. A process that starts for each summary reads it (`guarded.py`): what is imported here is
loaded each time.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from enum import StrEnum
from functools import lru_cache

from pace.errors import SummaryRejectedError
from pace.memory.markers import harmless
from pace.memory.summary import Clause, Fold, SummaryUpdate
from pace.memory.turn import is_blank
from pace.summarizers.cleaning import cleaned, lines_of, whole_sentences, within
from pace.summarizers.dates import dates_in, dates_of
from pace.summarizers.extractive import fold_extractively
from pace.summarizers.instructions import instruction
from pace.summarizers.languages import Spoken
from pace.summarizers.letters import legible
from pace.summarizers.looping import goes_in_circles
from pace.summarizers.mending import (
    Said,
    founded,
    in_the_language_of,
    without_copies,
    without_repeats,
)
from pace.summarizers.orders import Orders, is_hostile
from pace.summarizers.reinserting import LostValues, Mended
from pace.summarizers.source import Source
from pace.summarizers.values import Values, values_in


class Rejection(StrEnum):
    """Why a summary was turned down."""

    OTHER_FOLD = "answers another fold"
    EMPTY = "empty"
    CUT_OFF = "cut off"
    ERROR_TEXT = "error text"
    REFUSAL = "refusal"
    ENVELOPE = "envelope"
    MARKERS = "role markers or orders"
    ECHO = "echo of its prompt"
    REPETITION = "repetition loop"
    OTHER_LANGUAGE = "another language"
    OVER_BUDGET = "over budget"
    UNFOUNDED = "unfounded name or number"
    POORER = "poorer than the extractive fold"


def judged(update: SummaryUpdate, fold: Fold) -> SummaryUpdate | Rejection:
    """As `guarded`, with the Rejection given, as between processes it has to be."""
    try:
        return guarded(update, fold)
    except SummaryRejectedError as error:
        return Rejection(error.reason)


def guarded(update: SummaryUpdate, fold: Fold) -> SummaryUpdate:
    """The update mended: cleaned, without what nobody said, and with what was lost given back.

    Raises SummaryRejectedError with the Rejection. The pairs after the last one that the update
    covers are not looked at: they stay pending.
    """
    _refuse_if(Rejection.OTHER_FOLD, not _answers(update, fold))
    fold = replace(fold, pairs=tuple(p for p in fold.pairs if p.number <= update.covers))
    pairs = _text_of(fold)
    said = f"{_text_in(fold.prior.prose, fold.prior.clauses)}\n{pairs}"
    orders = Orders(said)
    written = legible(update.text)
    text = cleaned(written)
    _refuse_if(Rejection.EMPTY, is_blank(text))
    _refuse_if(Rejection.ERROR_TEXT, _is_error(text, said))
    _refuse_if(Rejection.REFUSAL, bool(_REFUSAL.search(text)))
    _refuse_if(Rejection.ENVELOPE, _is_envelope(text))
    _refuse_if(Rejection.ECHO, _echoes(text, fold, said))
    _refuse_if(Rejection.MARKERS, _holds_markers(written, text, orders))
    _refuse_if(Rejection.REPETITION, goes_in_circles(text))
    text = _beginning(text, fold.budget)
    _refuse_if(Rejection.OVER_BUDGET, not text)
    prose = without_repeats(without_copies(text, fold.prior.clauses))
    _refuse_if(Rejection.ECHO, not prose)
    prose = in_the_language_of(Spoken(said, pairs), prose)
    _refuse_if(Rejection.OTHER_LANGUAGE, not prose)
    known = Said(f"{said}\n{_EARLIER}", _dates(fold))
    prose = founded(prose, known)
    _refuse_if(Rejection.UNFOUNDED, not prose)
    _refuse_if(Rejection.MARKERS, orders.are_given_in(prose))
    prose = within(prose, fold.budget)
    _refuse_if(Rejection.OVER_BUDGET, not prose)
    mended = _not_poorer(prose, fold, values_in(said))
    told = _text_in(mended.prose, mended.clauses)
    _refuse_if(Rejection.UNFOUNDED, bool(known.invented_in(told)))
    _refuse_if(Rejection.MARKERS, harmless(mended.text) != mended.text)
    return replace(update, text=mended.text, clauses=mended.clauses)


def _refuse_if(reason: Rejection, is_so: bool) -> None:  # noqa: FBT001 - reads as a sentence
    if is_so:
        raise SummaryRejectedError(reason)


def _answers(update: SummaryUpdate, fold: Fold) -> bool:
    return (
        update.session_id == fold.session_id
        and update.version == fold.version
        and update.covers in {pair.number for pair in fold.pairs}
    )


# A summary may speak of what was said before as such.
_EARLIER = "earlier"


def _text_in(prose: str, clauses: Iterable[Clause]) -> str:
    """What a summary holds, without the words that say who said it."""
    return "\n".join((prose, *(clause.text for clause in clauses)))


def _text_of(fold: Fold) -> str:
    return "\n".join(text for pair in fold.pairs for text in (pair.user_text, pair.reply_text))


def _dates(fold: Fold) -> frozenset[date]:
    said = (dates_of(pair) for pair in fold.pairs)
    return frozenset().union(dates_in(fold.prior.text), *said)


# --- what is no summary at all

_ERROR_START = re.compile(
    r"^\W{0,3}(?:(?:\w+ )?(?:error|exception|fehler|erreur)\b|traceback\b|http/?[\d. ]*\d{3}\b)",
    re.IGNORECASE,
)
_ERROR_PHRASE = re.compile(
    r"traceback \(most recent|connection (?:refused|reset|timed out|error)|reset by peer"
    r"|rate limit (?:reached|exceeded)|internal server error|service unavailable|request timed out"
    r"|(?:maximum )?context (?:length|window) (?:exceeded|is)|model not found|invalid api key"
    r"|(?:hit|reached) your (?:usage |session )?limit|quota exceeded|\b\w+Error: ",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"^(?:(?:i['’]?m|i am) (?:so |very )?(?:sorry|unable|afraid|not able)|sorry\b|apologies\b"
    r"|i apologi[sz]e|unfortunately,? i\b|i (?:can(?:no|['’])t|won['’]t|could not|couldn['’]t)"
    r"|desculpe|lo siento|je suis désolé|désolé|es tut mir leid|entschuldigung|mi dispiace"
    r"|het spijt|извините|抱歉|对不起|對不起|很抱歉|申し訳|すみません|죄송)"
    r"|\bas an? (?:ai|artificial|large language)\b"
    r"|\bi (?:can(?:no|['’])t|(?:a|['’])m unable to) (?:help|assist|summari[sz]e|provide|do)\b"
    r"|\b(?:there is|there['’]s) (?:nothing|no (?:text|conversation|content)) to summari[sz]e"
    r"|\bno (?:text|conversation|content) (?:was |has been )?(?:provided|given)\b"
    r"|\bplease (?:provide|share|paste|give me)\b",
    re.IGNORECASE,
)
_KEY = re.compile(r'"[\w ]{1,40}"\s*:|\'[\w ]{1,40}\'\s*:\s*[\'"\[{]')


def _is_error(text: str, said: str) -> bool:
    """Whether it is a fault's message; one that was spoken of is not."""
    lower = said.lower()
    found = (*_ERROR_START.finditer(text), *_ERROR_PHRASE.finditer(text))
    return any(match[0].lower().strip() not in lower for match in found)


def _is_envelope(text: str) -> bool:
    if text[0] not in "{[":
        return len(_KEY.findall(text)) > 1
    if _KEY.search(text):
        return True
    try:
        return isinstance(json.loads(text), (dict, list))
    except ValueError:
        return False
    except RecursionError:  # nothing that is told nests so deep
        return True


# --- what would pass for something else


def _holds_markers(written: str, text: str, orders: Orders) -> bool:
    """Whether it holds a marker of ours or of a template, or speaks as one of a talk does."""
    return harmless(text) != text or is_hostile(text) or orders.are_roles_of(lines_of(written))


# --- what was not made from the conversation

# So many words in a row are no chance.
_ECHO_WORDS = 6
_WORDS = re.compile(r"[^\W_]+")


def _echoes(text: str, fold: Fold, said: str) -> bool:
    """Whether it repeats what it was told to do, in words that nobody else said."""
    told = _rows(instruction(fold.budget)) & _rows(text)
    return bool(told - _rows(said)) if told else False


@lru_cache(maxsize=16)
def _rows(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORDS.findall(text.lower())
    return frozenset(
        tuple(words[at : at + _ECHO_WORDS]) for at in range(len(words) - _ECHO_WORDS + 1)
    )


# --- what can be mended

# More of a text than this for each token of the budget is not mended: that would take the square of
# its length.
_CHARACTERS_A_TOKEN = 12


def _beginning(text: str, budget: int) -> str:
    """A text, or of a far too long one the whole sentences at its beginning."""
    most = _CHARACTERS_A_TOKEN * budget
    return text if len(text) <= most else whole_sentences(text[:most])


def _not_poorer(prose: str, fold: Fold, values: Values) -> Mended:
    """The prose with what it lost given back.

    Raises SummaryRejectedError if it lacks one that the extractive fold of the same input keeps;
    others that it keeps instead are no amends.
    """
    extract = fold_extractively(fold)
    gone = Source(extract.text).missing(values)
    values = Values(names=values.names - gone, numbers=values.numbers - gone)
    enough = len(values)
    mended = LostValues(extract, values, budget=fold.budget).given_back(prose, enough=enough)
    _refuse_if(Rejection.POORER, mended.kept < enough)
    return mended
