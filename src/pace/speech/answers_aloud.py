"""The spoken words that answer a question for consent, or stop Pace: closed lists, nothing else.

Whatever is longer than a listed phrase, or asks back, is no answer, and nothing said aloud allows
an action for good.
"""

from collections.abc import Mapping

from pace.ports import Approval
from pace.speech.plain_words import plain_words

SURE = -0.5
"""Below this mean log-probability of its tokens a yes was not surely said. Whisper base gives -0.54
to -0.27 to a "yes", and -0.63 to -0.53 to the one that it makes of "guess" or "chess"; a no counts
however unsure it is."""
_ENGLISH = "en"
_QUESTION_MARKS = frozenset("?？؟")

_YES: Mapping[str, tuple[str, ...]] = {
    "en": (
        # Not "yeah", "yep" or "yup": recognisers make them of "uh", "ja", "year" and "you".
        *("yes", "yes please", "sure", "ok", "okay", "yes ok", "yes okay"),
        *("go ahead", "yes go ahead", "okay go ahead", "do it", "yes do it", "please do"),
        *("yes please do", "allow", "allow it", "yes allow it", "allow once", "allow it once"),
        *("yes once", "just this once", "yes just this once", "only this once", "just once"),
        *("you may", "yes you may", "that's fine", "yes that's fine"),
    ),
    "de": (
        *("ja", "ja bitte", "jo", "ja gern", "ja gerne", "gern", "gerne", "klar", "ja klar"),
        *("okay", "ok", "ja okay", "mach das", "ja mach das", "mach es", "ja mach es", "mach"),
        *("tu es", "ja tu es", "in Ordnung", "ja in Ordnung", "erlauben", "einmal erlauben"),
        *("nur dieses Mal", "ja nur dieses Mal", "nur diesmal", "ja diesmal", "du darfst"),
        *("ja du darfst", "einverstanden", "ja einverstanden"),
    ),
    "fr": (
        *("oui", "oui s'il te plaît", "oui s'il vous plaît", "ouais", "d'accord", "oui d'accord"),
        *("ok", "okay", "vas-y", "oui vas-y", "allez-y", "oui allez-y", "fais-le", "oui fais-le"),
        *("faites-le", "autoriser", "autoriser une fois", "juste cette fois"),
        *("oui juste cette fois", "seulement cette fois", "bien sûr", "oui bien sûr"),
    ),
    "es": (
        *("sí", "sí por favor", "claro", "sí claro", "vale", "sí vale", "de acuerdo", "ok", "okay"),
        *("sí de acuerdo", "adelante", "sí adelante", "hazlo", "sí hazlo", "hágalo", "sí hágalo"),
        *("permitir", "permitir una vez", "solo esta vez", "sí solo esta vez", "por supuesto"),
    ),
    "it": (
        *("sì", "sì grazie", "sì per favore", "certo", "sì certo", "va bene", "sì va bene", "ok"),
        *("okay", "d'accordo", "sì d'accordo", "fallo", "sì fallo", "fai pure", "sì fai pure"),
        *("procedi", "sì procedi", "vai", "sì vai", "consenti", "consenti una volta"),
        *("solo questa volta", "sì solo questa volta"),
    ),
    "pt": (
        *("sim", "sim por favor", "claro", "sim claro", "está bem", "sim está bem", "tá bom"),
        *("ok", "okay", "pode", "sim pode", "pode fazer", "sim pode fazer", "faça", "sim faça"),
        *("faz", "vai em frente", "sim vai em frente", "permitir", "permitir uma vez"),
        *("só desta vez", "sim só desta vez", "só dessa vez", "sim só dessa vez", "de acordo"),
    ),
    "nl": (
        *("ja", "ja graag", "graag", "ja hoor", "jazeker", "prima", "ja prima", "is goed"),
        *("ja is goed", "oké", "ok", "okay", "ja oké", "doe maar", "ja doe maar", "doe het"),
        *("ja doe het", "ga je gang", "ja ga je gang", "toestaan", "eenmalig toestaan"),
        *("alleen deze keer", "ja alleen deze keer", "akkoord", "ja akkoord"),
    ),
}

_NO: Mapping[str, tuple[str, ...]] = {
    "en": (
        *("no", "nope", "nah", "no thanks", "no thank you", "don't", "no don't", "do not"),
        *("don't do it", "no don't do it", "don't do that", "no don't do that", "please don't"),
        *("no please don't", "not now", "no not now", "deny", "deny it", "cancel", "cancel it"),
        *("no cancel", "no no", "better not", "no stop", "stop"),
    ),
    "de": (
        *("nein", "nein danke", "nö", "nee", "ne", "nicht", "nein nicht", "lieber nicht"),
        *("nein lieber nicht", "besser nicht", "bitte nicht", "nein bitte nicht", "jetzt nicht"),
        *("nein jetzt nicht", "tu es nicht", "mach das nicht", "nein mach das nicht"),
        *("ablehnen", "abbrechen", "nein nein", "stopp", "lass es", "nein lass es", "lass das"),
    ),
    "fr": (
        *("non", "non merci", "pas maintenant", "non pas maintenant", "surtout pas", "annuler"),
        *("annule", "ne le fais pas", "non ne le fais pas", "ne fais pas ça", "refuser", "refuse"),
        *("non non", "stop", "laisse tomber", "non laisse tomber"),
    ),
    "es": (
        *("no", "no gracias", "ahora no", "no ahora no", "mejor no", "no mejor no", "cancelar"),
        *("cancela", "no lo hagas", "no no lo hagas", "no lo haga", "rechazar", "no no", "para"),
        *("déjalo", "no déjalo"),
    ),
    "it": (
        *("no", "no grazie", "non ora", "no non ora", "meglio di no", "no meglio di no"),
        *("annulla", "non farlo", "no non farlo", "rifiuta", "no no", "lascia stare", "fermati"),
        *("no lascia stare", "lascia perdere"),
    ),
    "pt": (
        *("não", "não obrigado", "não obrigada", "agora não", "não agora não", "melhor não"),
        *("cancelar", "cancela", "não faça", "não faça isso", "não não faça", "recusar"),
        *("não não", "deixa", "não deixa", "pare"),
    ),
    "nl": (
        *("nee", "nee dank je", "nee bedankt", "nee dank u", "niet nu", "nee niet nu"),
        *("liever niet", "nee liever niet", "doe maar niet", "nee doe maar niet", "doe het niet"),
        *("nee doe het niet", "weigeren", "annuleren", "annuleer", "nee nee", "stop", "laat maar"),
    ),
}

_STOP: Mapping[str, tuple[str, ...]] = {
    "en": (
        *("stop", "stop it", "stop please", "please stop", "okay stop", "ok stop", "no stop"),
        *("stop now", "stop talking", "please stop talking", "stop there", "stop right there"),
        *("wait", "wait please", "please wait", "no wait", "okay wait", "wait wait", "wait stop"),
        *("stop wait", "wait a second", "wait a moment", "wait a minute", "hold on", "hang on"),
        *("hold on a second", "one moment", "pause", "quiet", "be quiet", "quiet please", "enough"),
        *("that's enough", "okay that's enough", "shut up", "hush", "hey stop", "pace stop"),
        *("stop pace", "cancel", "never mind"),
    ),
    "de": (
        *("stopp", "stop", "stopp bitte", "bitte stopp", "okay stopp", "halt", "halt stopp"),
        *("hör auf", "bitte hör auf", "hör bitte auf", "aufhören", "bitte aufhören", "warte"),
        *("warte mal", "warte bitte", "bitte warte", "warte kurz", "moment", "moment mal"),
        *("einen Moment", "Moment bitte", "Pause", "Ruhe", "Ruhe bitte", "sei still", "still"),
        *("genug", "das reicht", "es reicht", "okay das reicht", "abbrechen", "nein stopp"),
    ),
    "fr": (
        *("stop", "stop s'il te plaît", "stop s'il vous plaît", "ok stop", "arrête", "arrêtez"),
        *("arrête-toi", "arrête s'il te plaît", "arrêtez s'il vous plaît", "attends", "attendez"),
        *("attends un peu", "attends une seconde", "un instant", "un moment", "une seconde"),
        *("pause", "silence", "tais-toi", "taisez-vous", "ça suffit", "assez", "c'est bon stop"),
        *("non stop", "non attends", "annule"),
    ),
    "es": (
        *("para", "para por favor", "por favor para", "para ya", "basta", "basta ya", "alto"),
        *("detente", "stop", "ok para", "vale para", "espera", "espera por favor", "espere"),
        *("espera un momento", "un momento", "un segundo", "pausa", "silencio", "cállate"),
        *("calla", "ya basta", "no espera", "ya está", "cancela"),
    ),
    "it": (
        *("stop", "ferma", "fermati", "fermati per favore", "per favore fermati", "basta"),
        *("basta così", "basta per favore", "ok basta", "ok stop", "aspetta", "aspetti"),
        *("aspetta un attimo", "aspetta un momento", "un attimo", "un momento", "pausa"),
        *("silenzio", "zitto", "zitta", "stai zitto", "no aspetta", "no fermati", "annulla"),
    ),
    "pt": (
        *("pare", "para", "pare por favor", "por favor pare", "para por favor", "chega", "basta"),
        *("já chega", "ok pare", "ok para", "stop", "espera", "espere", "espera aí", "peraí"),
        *("espera um pouco", "um momento", "um segundo", "só um momento", "pausa", "silêncio"),
        *("cala a boca", "quieto", "não espera", "cancela"),
    ),
    "nl": (
        *("stop", "stop maar", "stop alsjeblieft", "alsjeblieft stop", "oké stop", "hou op"),
        *("houd op", "hou maar op", "hou alsjeblieft op", "wacht", "wacht even", "wacht eens"),
        *("even wachten", "een moment", "momentje", "een ogenblik", "pauze", "stil", "wees stil"),
        *("stilte", "genoeg", "zo is het genoeg", "nee stop", "nee wacht", "hou je mond"),
    ),
}


def answer_heard(text: str, language: str, log_probability: float) -> Approval | None:
    """The answer that was surely heard, in the language that was recognised or in English."""
    answer = answer_to(text, language)
    if answer is None and _code(language) != _ENGLISH:
        answer = answer_to(text, _ENGLISH)
    return None if answer is Approval.ONCE and log_probability < SURE else answer


def answer_to(text: str, language: str) -> Approval | None:
    """The answer that a spoken text is in this language: ONCE, NO, or None for anything else."""
    if not _QUESTION_MARKS.isdisjoint(text):
        return None
    said = " ".join(plain_words(text))
    code = _code(language)
    if said in _PLAIN_NO.get(code, ()):
        return Approval.NO
    return Approval.ONCE if said in _PLAIN_YES.get(code, ()) else None


def is_stop(text: str, language: str) -> bool:
    """Whether a spoken text asks Pace to fall silent; said several times, it still does."""
    words = plain_words(text)
    once = [word for word, before in zip(words, [None, *words], strict=False) if word != before]
    phrases = _PLAIN_STOP.get(_code(language), _PLAIN_STOP["en"])
    return " ".join(words) in phrases or " ".join(once) in phrases


def _code(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].lower()


def _plain(lists: Mapping[str, tuple[str, ...]]) -> Mapping[str, frozenset[str]]:
    return {
        code: frozenset(" ".join(plain_words(phrase)) for phrase in phrases)
        for code, phrases in lists.items()
    }


_PLAIN_YES = _plain(_YES)
_PLAIN_NO = _plain(_NO)
_PLAIN_STOP = _plain(_STOP)
