"""How long a pause has to be until somebody is taken to be done, by what they said so far."""

import re
from datetime import timedelta

DONE = timedelta(milliseconds=450)
"""After a whole sentence. People answer each other after 200 ms, and pause in mid-turn for 500 to
700 ms (Stivers et al. 2009, PNAS 106:10587; Heldner and Edlund 2010, J. Phonetics 38:555)."""
UNDECIDED = timedelta(milliseconds=700)
"""After words that may be a whole sentence or not."""
UNFINISHED = timedelta(milliseconds=1500)
"""After words that want others behind them."""
DICTATED = timedelta(milliseconds=1800)
"""After a number, whose next group may come; people say them in groups with pauses."""

_ENDS_SENTENCE = re.compile(r"[.!?。！？؟।]+[\"'”’»)]*$")
_ENDS_OPEN = re.compile(r"(?:\.{2,}|…|[,;:、，؛،–—-])$")
_LAST_WORD = re.compile(r"([^\W\d_]+(?:['’][^\W\d_]+)*)\W*$")
_ENDS_IN_NUMBER = re.compile(r"\d\W*$")
# A year, a time or a price is whole; a second group of digits may have a third.
_DICTATION = re.compile(r"(?:\d{5}|\d(?:,?\s+|-)\d+)\W*$")
_NUMBERS = """
    zero oh one two three four five six seven eight nine double triple
    null eins zwei drei vier fünf sechs sieben acht neun
    zéro un deux trois quatre cinq sept huit neuf
    cero uno dos tres cuatro cinco seis siete ocho nueve
    zero due tre quattro cinque sei sette otto nove"""
_NUMBER_WORDS = frozenset(_NUMBERS.split())
# What another word has to follow: articles, conjunctions, prepositions, auxiliaries, fillers.
_WANTS_MORE = {
    "en": """a an the and or but because so if when while that which who whose to of in on at by for
        with from about into over than as is are was were am be been has have had will would can
        could should my your his her its our their this these those i we they he she it's i'm
        um uh er erm like just very really also then not no""",
    "de": """der die das den dem des ein eine einen einem einer und oder aber weil dass wenn ob als
        wie zu von in im an am auf bei für mit aus über nach vor ist sind war hat haben wird kann
        mein meine dein sein ihr ich wir er sie äh ähm also noch sehr nicht""",
    "fr": """le la les un une des et ou mais parce que si quand qui dont à au aux de du dans en sur
        par pour avec chez est sont était a ont sera peut mon ma mes ton ta son sa je nous il elle
        euh ben très aussi ne pas""",
    "es": """el la los las un una unos unas y o pero porque que si cuando quien a al de del en con
        por para sobre es son era ha han será puede mi tu su yo nosotros él ella eh este muy
        también no""",
    "it": """il lo la i gli le un uno una e o ma perché che se quando chi a al di del da in con su
        per tra è sono era ha hanno sarà può mio tuo suo io noi lui lei ehm molto anche non""",
    "pt": """o a os as um uma e ou mas porque que se quando quem ao de do da em no na com por para
        sobre é são era tem será pode meu teu seu eu nós ele ela hum muito também não""",
    "nl": """de het een en of maar omdat dat als wanneer wie te van in op aan bij voor met uit over
        naar is zijn was heeft hebben zal kan mijn jouw ik wij hij zij eh uhm heel ook niet""",
}
_WANTING = {language: frozenset(words.split()) for language, words in _WANTS_MORE.items()}


def ending_pause(text: str, language: str) -> timedelta:
    """How long a pause ends a turn of which so much was recognised.

    Recognisers set a full stop behind nearly anything, so the last word counts before the sign.
    """
    text = text.strip()
    if not text:
        return UNDECIDED
    word = _last_word(text)
    if _DICTATION.search(text) or _counts(text):
        return DICTATED
    if _ENDS_OPEN.search(text) or word in _WANTING.get(language, frozenset()):
        return UNFINISHED
    if _ENDS_IN_NUMBER.search(text):
        return UNDECIDED
    return DONE if _ENDS_SENTENCE.search(text) else UNDECIDED


def _last_word(text: str) -> str:
    found = _LAST_WORD.search(text)
    return found[1].lower().replace("’", "'") if found else ""


def _counts(text: str) -> bool:
    """Whether it ends in two digits or more that were said as words."""
    words = re.findall(r"[^\W_]+", text.lower())[-2:]
    return len(words) == 2 and _NUMBER_WORDS.issuperset(words)  # noqa: PLR2004  # two of them
