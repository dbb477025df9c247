"""What Pace says of its own, language by language, when it reads a text aloud."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class EarPhrases:
    """The words for what is written as signs. `{}` stands for a name or a figure.

    `money` gives a currency's name for one and for more. An abbreviation's key is a pattern.
    """

    code: str
    code_in: str
    table: str
    image: str
    times: str
    plus: str
    minus: str
    over: str
    equals: str
    power: str
    about: str
    less: str
    more: str
    to: str
    point: str
    percent: str
    number: str
    and_: str
    at: str
    clock: str
    full_clock: str
    cents: str
    money: Mapping[str, tuple[str, str]]
    abbreviations: Mapping[str, str] = field(default_factory=dict)


_ENGLISH = EarPhrases(
    code="a piece of code",
    code_in="a piece of {} code",
    table="a table: {}",
    image="an image",
    times="times",
    plus="plus",
    minus="minus",
    over="divided by",
    equals="equals",
    power="to the power of",
    about="about",
    less="less than",
    more="more than",
    to="to",
    point="point",
    percent="percent",
    number="number",
    and_="and",
    at="at",
    clock="{} {}",
    full_clock="{} o'clock",
    cents="{} {}",
    money={"$": ("dollar", "dollars"), "€": ("euro", "euros"), "£": ("pound", "pounds")},
    abbreviations={
        r"e\.\s?g\.": "for example",
        r"i\.\s?e\.": "that is",
        r"etc\.": "and so on",
        r"approx\.": "approximately",
        r"vs\.?": "versus",
        r"Dr\.": "Doctor",
        r"Mr\.": "Mister",
        r"Mrs\.": "Missis",
        r"Ms\.": "Miz",
        r"Prof\.": "Professor",
        r"No\.(?=\s?\d)": "number",
        r"pp\.(?=\s?\d)": "pages",
        r"p\.(?=\s?\d)": "page",
        r"w/o": "without",
    },
)
_GERMAN = EarPhrases(
    code="ein Stück Code",
    code_in="ein Stück {}-Code",
    table="eine Tabelle: {}",
    image="ein Bild",
    times="mal",
    plus="plus",
    minus="minus",
    over="durch",
    equals="gleich",
    power="hoch",
    about="etwa",
    less="kleiner als",
    more="größer als",
    to="bis",
    point="Punkt",
    percent="Prozent",
    number="Nummer",
    and_="und",
    at="at",
    clock="{} Uhr {}",
    full_clock="{} Uhr",
    cents="{} {}",
    money={"$": ("Dollar", "Dollar"), "€": ("Euro", "Euro"), "£": ("Pfund", "Pfund")},
    abbreviations={
        r"z\.\s?B\.": "zum Beispiel",
        r"d\.\s?h\.": "das heißt",
        r"u\.\s?a\.": "unter anderem",
        r"usw\.": "und so weiter",
        r"etc\.": "et cetera",
        r"bzw\.": "beziehungsweise",
        r"ca\.": "circa",
        r"vgl\.": "vergleiche",
        r"Dr\.": "Doktor",
        r"Prof\.": "Professor",
        r"Nr\.": "Nummer",
        r"S\.(?=\s?\d)": "Seite",
    },
)
_FRENCH = EarPhrases(
    code="un morceau de code",
    code_in="un morceau de code {}",
    table="un tableau : {}",
    image="une image",
    times="fois",
    plus="plus",
    minus="moins",
    over="divisé par",
    equals="égale",
    power="puissance",
    about="environ",
    less="inférieur à",
    more="supérieur à",
    to="à",
    point="point",
    percent="pour cent",
    number="numéro",
    and_="et",
    at="arobase",
    clock="{} heures {}",
    full_clock="{} heures",
    cents="{} {}",
    money={"$": ("dollar", "dollars"), "€": ("euro", "euros"), "£": ("livre", "livres")},
    abbreviations={
        r"p\.\s?ex\.": "par exemple",
        r"c\.-à-d\.": "c'est-à-dire",
        r"etc\.": "et cetera",
        r"env\.": "environ",
        r"Dr\.?": "docteur",
        r"Mme": "madame",
        r"Mlle": "mademoiselle",
        r"M\.(?=\s[A-ZÉ])": "monsieur",
        r"n°": "numéro",
    },
)
_SPANISH = EarPhrases(
    code="un fragmento de código",
    code_in="un fragmento de código {}",
    table="una tabla: {}",
    image="una imagen",
    times="por",
    plus="más",
    minus="menos",
    over="entre",
    equals="igual a",
    power="elevado a",
    about="aproximadamente",
    less="menor que",
    more="mayor que",
    to="a",
    point="punto",
    percent="por ciento",
    number="número",
    and_="y",
    at="arroba",
    clock="{} y {}",
    full_clock="{} horas",
    cents="{} con {}",
    money={"$": ("dólar", "dólares"), "€": ("euro", "euros"), "£": ("libra", "libras")},
    abbreviations={
        r"p\.\s?ej\.": "por ejemplo",
        r"etc\.": "etcétera",
        r"aprox\.": "aproximadamente",
        r"Dr\.": "doctor",
        r"Dra\.": "doctora",
        r"Sr\.": "señor",
        r"Sra\.": "señora",
        r"EE\.\s?UU\.": "Estados Unidos",
    },
)
_ITALIAN = EarPhrases(
    code="un frammento di codice",
    code_in="un frammento di codice {}",
    table="una tabella: {}",
    image="un'immagine",
    times="per",
    plus="più",
    minus="meno",
    over="diviso",
    equals="uguale a",
    power="elevato a",
    about="circa",
    less="minore di",
    more="maggiore di",
    to="a",
    point="punto",
    percent="per cento",
    number="numero",
    and_="e",
    at="chiocciola",
    clock="{} e {}",
    full_clock="{}",
    cents="{} e {}",
    money={"$": ("dollaro", "dollari"), "€": ("euro", "euro"), "£": ("sterlina", "sterline")},
    abbreviations={
        r"ad es\.|p\.\s?es\.": "per esempio",
        r"ecc\.": "eccetera",
        r"Dott\.": "dottor",
        r"Sig\.": "signor",
        r"Sig\.ra": "signora",
        r"pag\.": "pagina",
    },
)
_PORTUGUESE = EarPhrases(
    code="um trecho de código",
    code_in="um trecho de código {}",
    table="uma tabela: {}",
    image="uma imagem",
    times="vezes",
    plus="mais",
    minus="menos",
    over="dividido por",
    equals="igual a",
    power="elevado a",
    about="aproximadamente",
    less="menor que",
    more="maior que",
    to="a",
    point="ponto",
    percent="por cento",
    number="número",
    and_="e",
    at="arroba",
    clock="{} e {}",
    full_clock="{} horas",
    cents="{} e {}",
    money={"$": ("dólar", "dólares"), "€": ("euro", "euros"), "£": ("libra", "libras")},
    abbreviations={
        r"p\.\s?ex\.": "por exemplo",
        r"etc\.": "et cetera",
        r"aprox\.": "aproximadamente",
        r"Dr\.": "doutor",
        r"Dra\.": "doutora",
        r"Sr\.": "senhor",
        r"Sra\.": "senhora",
    },
)
_DUTCH = EarPhrases(
    code="een stuk code",
    code_in="een stuk {}-code",
    table="een tabel: {}",
    image="een afbeelding",
    times="keer",
    plus="plus",
    minus="min",
    over="gedeeld door",
    equals="is",
    power="tot de macht",
    about="ongeveer",
    less="kleiner dan",
    more="groter dan",
    to="tot",
    point="punt",
    percent="procent",
    number="nummer",
    and_="en",
    at="apenstaartje",
    clock="{} uur {}",
    full_clock="{} uur",
    cents="{} {}",
    money={"$": ("dollar", "dollar"), "€": ("euro", "euro"), "£": ("pond", "pond")},
    abbreviations={
        r"bijv\.|bv\.": "bijvoorbeeld",
        r"d\.w\.z\.": "dat wil zeggen",
        r"o\.a\.": "onder andere",
        r"enz\.": "enzovoort",
        r"etc\.": "et cetera",
        r"ca\.": "circa",
        r"dhr\.": "de heer",
        r"mevr\.": "mevrouw",
        r"nr\.": "nummer",
    },
)

_PHRASES = {
    "en": _ENGLISH,
    "de": _GERMAN,
    "fr": _FRENCH,
    "es": _SPANISH,
    "it": _ITALIAN,
    "pt": _PORTUGUESE,
    "nl": _DUTCH,
}

_CODE_LANGUAGES = {
    "py": "Python",
    "python3": "Python",
    "js": "JavaScript",
    "javascript": "JavaScript",
    "ts": "TypeScript",
    "typescript": "TypeScript",
    "sh": "shell",
    "bash": "shell",
    "zsh": "shell",
    "console": "shell",
    "rs": "Rust",
    "rb": "Ruby",
    "go": "Go",
    "golang": "Go",
    "c": "C",
    "cpp": "C++",
    "c++": "C++",
    "cs": "C sharp",
    "csharp": "C sharp",
    "html": "HTML",
    "css": "CSS",
    "json": "JSON",
    "yaml": "YAML",
    "yml": "YAML",
    "toml": "TOML",
    "sql": "SQL",
    "xml": "XML",
    "php": "PHP",
    "kt": "Kotlin",
    "r": "R",
}
# Fences that hold no code.
_NO_LANGUAGES = frozenset({"", "text", "txt", "plain", "plaintext", "none", "output"})


def language_code(language: str) -> str:
    """The ISO 639-1 code at the front of a language's tag, such as "pt" of "pt-BR"."""
    return re.split(r"[-_]", language, maxsplit=1)[0].lower()


def phrases_of(language: str) -> EarPhrases | None:
    """The phrases of a language, or None if Pace has none of its own in it."""
    return _PHRASES.get(language_code(language))


def code_language(info: str) -> str:
    """How the programming language of a fence is said; empty if the fence names none."""
    word = info.strip().split(maxsplit=1)[0].strip("{}.").lower() if info.strip() else ""
    return "" if word in _NO_LANGUAGES else _CODE_LANGUAGES.get(word, word.capitalize())
