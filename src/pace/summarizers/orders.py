"""Finds what in a summary speaks to its reader: roles, and orders that nobody in the talk gave."""

import re
from collections.abc import Iterable
from functools import cached_property

from pace.summarizers.rarity import word_key
from pace.summarizers.values import ENGLISH, normal

_ROLES = (
    r"user|human|person|assistant|ai|bot|pace|system|developer|tool|instructions?"
    r"|utilisateur|usuario|usuário|benutzer|nutzer|utente|gebruiker|пользователь|用户|ユーザー"
    r"|asistente|assistente|assistent|ассистент|助手|アシスタント"
    r"|système|sistema|систем[аы]|系统|系統|システム|시스템|instrucciones|anweisung(?:en)?|инструкци[ия]"
)
_ROLE_LINE = re.compile(rf"^\W{{0,4}}(?:{_ROLES}|###\s*\w+)\W{{0,3}}[:：]\s*\w*", re.IGNORECASE)
# Whoever says these orders, whoever else had said them.
_HOSTILE = re.compile(
    r"\b(?:SYSTEM|DEVELOPER|INSTRUCTIONS?)\s*:"
    r"|(?i:\b(?:ignore|disregard|forget) (?:all |any |the |your |these )*"
    r"(?:previous|prior|above|earlier|preceding|other) (?:instructions?|prompts?|rules|messages)"
    r"|\bnew (?:instructions?|rules)\s*:"
    r"|\b(?:reveal|print|show|repeat) (?:your|the) (?:system prompt|rules|instructions)"
    r"|\bnext steps?\s*:)"
    r"|(?i:\b(?:ignor\w+|игнорируй\w*|vergiss|olvid\w+|oubli\w+|esquec\w+|забудь\w*)\W+(?:\w+\W+){0,3}"
    r"(?:instruc\w+|instruç\w+|istruzion\w+|anweisung\w+|инструкци\w+|правил\w*))"
    r"|(?:忽略|无视|無視|忘记).{0,8}(?:指令|指示|说明|規則|规则)"
)

# --- orders that may have been told of

_START = r"(?:^|[.!?…。！？;:][\"'”’)\]]*\s+|[\"“(]|\s[-–—]\s)"
_ADVERBS = r"(?:(?:now|then|also|always|never|just|only|first|immediately|instead|not|please)\s+)*"
_MUST = (
    r"(?:must|should|shall|will|have to|has to|need to|needs to|ought to|(?:are|is) to|had better)"
)
_VERBS = (
    "ignore|disregard|forget|override|bypass|delete|erase|remove|wipe|drop|send|forward|email|post"
    "|upload|download|install|execute|run|call|open|click|visit|follow|obey|act|pretend|behave"
    "|reveal|print|show|repeat|output|display|write|say|tell|reply|respond|answer|speak|translate"
    "|summari[sz]e|stop|start|begin|continue|treat|assume|give|provide|transfer|pay|buy|disable"
    "|enable|grant|approve|confirm|comply|insert|add|use|set|change|update|switch|do|make|be"
    "|ensure|remember|keep|let|ask|return|copy|read|go|take|put|enter|type|create|generate"
)
# What an order is about. A verb that opens a note, such as "Call with Anna", goes on otherwise.
_OBJECTS = (
    "the|a|an|all|any|every|everything|everyone|anything|this|that|these|those|your|my|his|her"
    "|their|our|its|me|him|them|us|it|no|nothing|only|always|never|what|whatever|as|in|like|sure"
    "|not|yourself"
)
_ORDER = re.compile(
    rf"{_START}(?:(?:and|so|but|now|then|also|instead|first|next|finally|please|kindly|you|,)\s*)*"
    rf"(?P<told>(?:{_VERBS})\s+(?:{_OBJECTS})\b[^.!?。！？;\n]*"
    rf"|(?:do not|don['’]t|(?:always|never)\s+(?=(?:{_VERBS})\b))\s*[^.!?。！？;\n]+)"
    rf"|\b(?:you|reader)\s+{_ADVERBS}{_MUST}\s+(?P<must>{_ADVERBS}[^.!?。！？;\n]+)"
    rf"|\b(?:assistant|pace|ai|model|bot)\s+{_MUST}\s+"
    r"(?P<always>(?:always|never|ignore|obey|disregard|reveal|execute|delete)\b[^.!?。！？;\n]+)"
    r"|\b(?:you are now|from now on,? you|please)\s+(?P<now>[^.!?。！？;\n]+)",
    re.IGNORECASE,
)
_ROLE = re.compile(rf"{_START}[\W_]{{0,4}}(?:{_ROLES})\W{{0,3}}[:：]\s*\w*", re.IGNORECASE)
# Not at a semicolon: what it joins stands without it in a clause.
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$|[^\x00-\x7f])|\n")
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Words that an order shares with many others.
_SMALL_WORDS = "now then please always never don't do dont just first instead immediately also user"
_SMALL = ENGLISH | frozenset(_SMALL_WORDS.split())
# So many words of an order, at most, have to have been said in one sentence.
_TELLING = 3
# Fewer tell nothing of what it is about, so all of the order has to be theirs.
_ENOUGH = 2


def is_hostile(text: str) -> bool:
    """Whether a text means to take its reader over, whoever else may have said so."""
    return _HOSTILE.search(normal(text)) is not None


class Orders:
    """What was told to do in a talk; telling of that again is no order."""

    def __init__(self, said: str) -> None:
        self._said = said

    def are_given_in(self, text: str) -> bool:
        """Whether a text gives an order, or speaks in a role, that was not in the talk."""
        text = normal(text)
        orders = (found[found.lastgroup or 0] for found in _ORDER.finditer(text))
        if not all(self._were_said(order) for order in orders):
            return True
        return any(_plain(role[0]) not in self._plain for role in _ROLE.finditer(text))

    def are_roles_of(self, lines: Iterable[str]) -> bool:
        """Whether one of these lines begins as a turn does, and not as somebody said it."""
        roles = filter(None, map(_ROLE_LINE.match, map(normal, lines)))
        return any(_plain(role[0]) not in self._plain for role in roles)

    def _were_said(self, order: str) -> bool:
        """Whether the first words that tell something were said in one sentence."""
        keys = [key for key in _keys(order) if key not in _SMALL][:_TELLING]
        if len(keys) < _ENOUGH:
            return f" {_plain(order)} " in f" {self._plain} "
        return any(set(keys) <= sentence for sentence in self._sentences)

    @cached_property
    def _sentences(self) -> tuple[frozenset[str], ...]:
        parts = _SENTENCE_END.split(normal(self._said))
        return tuple(frozenset(_keys(part)) for part in parts)

    @cached_property
    def _plain(self) -> str:
        return _plain(normal(self._said))


def _keys(text: str) -> list[str]:
    return [word_key(word.lower().replace("’", "'")) for word in _WORDS.findall(text)]


def _plain(text: str) -> str:
    """Words and colons alone, in lower case."""
    return " ".join(re.findall(r"\w+|[:：]", text.lower()))
