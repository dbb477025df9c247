"""Tells a text that is in another language, or another script, than a talk.

A language is told by its function words, of which every ordinary sentence has some. The lists are
of our own making, from general grammar; what they do not tell is nobody's foreign language.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from pace.summarizers.values import WORD, normal

_FUNCTION_WORDS = {
    "English": """
        the a an and or but of to in on at for with from by is are was were be been has have had it
        its this that these those he she they his her their will would can could not as who which
        what when where about into there than then also do does did i you my your we our""",
    "German": """
        der die das und ist nicht ein eine einen einem einer ich sie er wir mit für auf zu den dem
        des von im am es wird hat sich auch oder aber wenn dass bei nach aus wie noch werden wurde
        haben sind als um über zum zur""",
    "Dutch": """
        de het een en van is dat niet op te zijn voor met die aan hij zij ze er ook als bij naar
        wordt heeft maar om dan of uit over wat werd ik je""",
    "French": """
        le la les des du de un une et est dans pour que qui sur par avec pas au aux il elle ils ce
        cette son sa ses en ne se plus ou mais été sont je""",
    "Spanish": """
        el la los las de del que y en un una a por con para se su al es no lo como más pero sus le
        ha fue este está tiene""",
    "Portuguese": """
        o a os as de do da dos das que e em um uma para com não no na por se é mais foi seu sua ao
        ele ela mas como está""",
    "Italian": """
        il lo la gli le di del della dei che e è in un una per con non si da al sono ha come più
        anche ma alla nel suo sua""",
    "Swedish": """
        och att det som en är på för med av den till har inte om ett han hon men var sig från vi så
        kan ska""",
    "Danish": """
        og at det som en er på for med af den til har ikke om et han hun men var sig fra vi så kan
        skal""",
    "Norwegian": """
        og at det som en er på for med av den til har ikke om et han hun men var seg fra vi så kan
        skal""",
    "Finnish": "ja on ei se että hän oli ovat mutta kun myös joka jos niin kuin sen hänen",
    "Polish": """
        i w na z do nie się że jest to o po jak od za dla przez ma który która oraz ale są""",
    "Czech": "a v na se je že do s z o k i to jako pro ale by jsou jeho podle",
    "Hungarian": "a az és hogy nem is egy van volt meg de ez csak már",
    "Romanian": "și în de la cu pe nu un o că este din pentru mai care au fost",
    "Turkish": "ve bir bu da de için ile çok ne daha olarak gibi var olan",
    "Indonesian": """
        yang dan di ini itu dengan untuk tidak dari dalam akan pada ke adalah juga saya""",
    "Vietnamese": "của và là có không được một cho các với này trong người",
    "Russian": """
        и в не на что с он как по это но из у за от для так же она был была его её также""",
    "Ukrainian": "і в не на що з у та як до це але від за для він вона його також",
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _listed in _FUNCTION_WORDS.items():
    for _word in _listed.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_language)

# Of fewer words, no language is told.
_FEWEST_WORDS = 6
_FEWEST_OF_A_TALK = 12
# A language is told by so many of its function words, at least, and by this share of them: of
# English prose they are a third and more, of Finnish and Polish, with their cases, a tenth.
_TELLING, _SHARE = 3, 0.1
# It is another one if the talk's own has less than this part of its share, and the other way round;
# sisters such as Danish and Norwegian have more in common.
_OTHER = 0.6
# Whoever uses so many of the words that were said speaks as was spoken.
_SAID_SHARE = 0.6
# In no language of ours: of so many words fewer were said, and fewer are the talk's function words.
_STRANGE_WORDS, _STRANGE_SAID, _STRANGE_SHARE = 12, 0.3, 0.04

_SCRIPTS = {
    "Latin": re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
    "Greek": re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),
    "Cyrillic": re.compile("[\u0400-\u052f]"),
    "Armenian": re.compile("[\u0530-\u058f]"),
    "Hebrew": re.compile("[\u0590-\u05ff]"),
    "Arabic": re.compile("[\u0600-\u06ff\u0750-\u077f]"),
    "Indic": re.compile("[\u0900-\u0dff]"),
    "Thai": re.compile("[\u0e00-\u0eff]"),
    "Georgian": re.compile("[\u10a0-\u10ff]"),
    "Kana": re.compile("[\u3040-\u30ff]"),
    "Han": re.compile("[\u3400-\u9fff]"),
    "Hangul": re.compile("[\uac00-\ud7af]"),
}
# A script of which the talk has less is not one of its own, if a text has this much of it.
_SCRIPT_OF_TALK, _SCRIPT_OF_TEXT = 0.05, 0.5
_FEWEST_LETTERS = 10
# Japanese is a quarter kana and more; Chinese has none.
_JAPANESE, _NOT_JAPANESE = 0.25, 0.03


class Spoken:
    """The language of a talk. A text is no foreign one if it fits any of these parts of it."""

    def __init__(self, *parts: str) -> None:
        self._parts = [_Part(part) for part in parts]

    def is_foreign(self, text: str) -> bool:
        """Whether a text is in a language or a script that none of the parts is in.

        What cannot be told is not: a few words, or a language that is told by none of ours.
        """
        told = _Part(text)
        return all(_differs(told, part) for part in self._parts)


class _Part:
    """A text by its letters and its words; those with capitals or digits are none."""

    def __init__(self, text: str) -> None:
        text = normal(text)
        self.letters = _letters(text)
        self.words = [word for found in WORD.finditer(text) if (word := found[0]).islower()]
        self.vocabulary = frozenset(self.words)
        self.shares = _shares(self.words)

    @property
    def language(self) -> str | None:
        """The one that has the most function words in it, if that is enough."""
        language = max(self.shares, key=self.shares.__getitem__, default=None)
        enough = max(_SHARE, _TELLING / max(1, len(self.words)))
        return language if language is not None and self.shares[language] >= enough else None

    def share_of_script(self, script: str) -> float:
        return self.letters[script] / max(1, self.letters.total())


def _differs(told: _Part, part: _Part) -> bool:
    return _other_script(told, part) or _other_language(told, part)


def _other_script(told: _Part, part: _Part) -> bool:
    if told.letters.total() < _FEWEST_LETTERS or part.letters.total() < _FEWEST_LETTERS:
        return False
    for script in told.letters:
        is_own = part.share_of_script(script) >= _SCRIPT_OF_TALK
        if not is_own and told.share_of_script(script) >= _SCRIPT_OF_TEXT:
            return True
    return (
        told.share_of_script("Han") >= _SCRIPT_OF_TEXT
        and told.share_of_script("Kana") < _NOT_JAPANESE
        and part.share_of_script("Kana") >= _JAPANESE
    )


def _other_language(told: _Part, part: _Part) -> bool:
    if len(told.words) < _FEWEST_WORDS or len(part.words) < _FEWEST_OF_A_TALK:
        return False
    if part.language is None:
        return False
    said = _share_in(told.words, part.vocabulary)
    if said >= _SAID_SHARE:
        return False
    if told.language is None:
        is_strange = said < _STRANGE_SAID and told.shares[part.language] < _STRANGE_SHARE
        return is_strange and len(told.words) >= _STRANGE_WORDS
    return (
        part.shares[told.language] < _OTHER * part.shares[part.language]
        and told.shares[part.language] < _OTHER * told.shares[told.language]
    )


def _letters(text: str) -> Counter[str]:
    if text.isascii():
        return Counter({"Latin": sum(map(str.isalpha, text))})
    return Counter({script: len(letter.findall(text)) for script, letter in _SCRIPTS.items()})


def _shares(words: Sequence[str]) -> defaultdict[str, float]:
    """Of each language, the share of its function words."""
    counts = Counter(language for word in words for language in _LANGUAGES_OF.get(word, ()))
    return defaultdict(float, {lang: count / len(words) for lang, count in counts.items()})


def _share_in(words: Sequence[str], vocabulary: frozenset[str]) -> float:
    return sum(word in vocabulary for word in words) / len(words)
