"""Makes an envelope of a whole object, or says in one sentence why it is none.

No sentence quotes the reply: it holds words of the conversation.
"""

import json
from collections.abc import Collection, Mapping
from math import isfinite
from typing import NoReturn

from pace.envelope.model import (
    ARGS,
    CALLS,
    FIELDS,
    INTENT,
    MOST_CALLS,
    NAME,
    PAYLOAD,
    SPOKEN,
    TARGET,
    TARGETS,
    TEXTS,
    Call,
    Envelope,
    Intent,
)
from pace.errors import EnvelopeError


def envelope_in(text: str, names: Collection[str]) -> Envelope:
    """The envelope that an object's text is; raises EnvelopeError.

    `null` stands for a field that is left out: some providers allow no other way to leave one out.
    """
    root = _parsed(text)
    _only(root, FIELDS)
    spoken, intent, payload = (root.get(key) for key in (SPOKEN, INTENT, PAYLOAD))
    if not isinstance(spoken, str):
        raise fault("has no words to show")
    if not isinstance(intent, str) or intent not in set(Intent):
        raise fault("does not say what it is for")
    if payload is None:
        payload = {}
    if not isinstance(payload, dict):
        raise fault("has a payload that is no object")
    _only(payload, (NAME, ARGS, CALLS, TARGET, *TEXTS))
    calls = _calls(payload, frozenset(names))
    if intent == Intent.ACTION and not calls:
        raise fault("is for an action and names none")
    if intent != Intent.ACTION and calls:
        raise fault("asks for an action without being for one")
    return Envelope(spoken_text=spoken, intent=Intent(intent), calls=calls, payload=_words(payload))


def fault(what: str) -> EnvelopeError:
    """What a person is told of a reply that cannot be used."""
    return EnvelopeError(f"The reply {what}, so nothing was done. Ask again.")


def _parsed(text: str) -> dict[str, object]:
    try:
        root = json.loads(
            text,
            strict=False,  # a bare line end within words is no doubt about what they are
            object_pairs_hook=_without_repeats,
            parse_constant=_no_number,
            parse_float=_finite,
        )
    except (ValueError, RecursionError) as error:
        raise fault("is not in the form that was asked for") from error
    if not isinstance(root, dict):
        raise fault("is not in the form that was asked for")
    return root


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object without what is null; a key that stands there twice could mean either value."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise fault("gives the same field twice")
    return {_whole(key): _sayable(value) for key, value in pairs if value is not None}


def _sayable(value: object) -> object:
    """A value whose texts every encoding can write: half a character is replaced."""
    if isinstance(value, list):
        return [_sayable(item) for item in value]
    return _whole(value) if isinstance(value, str) else value


def _whole(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _no_number(_: str) -> NoReturn:
    raise fault("holds a number that is none")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise fault("holds a number that is none")
    return number


def _only(found: Mapping[str, object], known: Collection[str]) -> None:
    if not found.keys() <= set(known):
        raise fault("holds a field that does not belong there")


def _calls(payload: Mapping[str, object], names: frozenset[str]) -> tuple[Call, ...]:
    if CALLS not in payload:
        return (_call(payload, names),) if NAME in payload or ARGS in payload else ()
    if NAME in payload or ARGS in payload:
        raise fault("names one action and several at once")
    calls = payload[CALLS]
    if not isinstance(calls, list) or not calls:
        raise fault("does not list its actions")
    if len(calls) > MOST_CALLS:
        raise fault(f"asks for more than {MOST_CALLS} actions at once")
    return tuple(_listed(call, names) for call in calls)


def _listed(call: object, names: frozenset[str]) -> Call:
    if not isinstance(call, dict):
        raise fault("does not list its actions")
    _only(call, (NAME, ARGS))
    return _call(call, names)


def _call(call: Mapping[str, object], names: frozenset[str]) -> Call:
    name, args = call.get(NAME), call.get(ARGS)
    if not isinstance(name, str) or name not in names:
        raise fault("asks for an action that there is not")
    if not isinstance(args, dict):
        raise fault("asks for an action without its arguments")
    return Call(name, args)


def _words(payload: Mapping[str, object]) -> dict[str, str]:
    words = {key: text for key in TEXTS if isinstance(text := payload.get(key), str)}
    if len(words) < sum(key in payload for key in TEXTS):
        raise fault("has a text that is none")
    if TARGET in payload:
        target = payload[TARGET]
        if not isinstance(target, str) or target not in TARGETS:
            raise fault("has a target that there is not")
        words[TARGET] = target
    return words
