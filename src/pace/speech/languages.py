"""The languages that Whisper was taught, by their codes, and a sentence to try a voice with."""

_NAMES = (
    "af Afrikaans, am Amharic, ar Arabic, as Assamese, az Azerbaijani, ba Bashkir, "
    "be Belarusian, bg Bulgarian, bn Bengali, bo Tibetan, br Breton, bs Bosnian, ca Catalan, "
    "cs Czech, cy Welsh, da Danish, de German, el Greek, en English, es Spanish, et Estonian, "
    "eu Basque, fa Persian, fi Finnish, fo Faroese, fr French, gl Galician, gu Gujarati, "
    "ha Hausa, haw Hawaiian, he Hebrew, hi Hindi, hr Croatian, ht Haitian Creole, hu Hungarian, "
    "hy Armenian, id Indonesian, is Icelandic, it Italian, ja Japanese, jw Javanese, "
    "ka Georgian, kk Kazakh, km Khmer, kn Kannada, ko Korean, la Latin, lb Luxembourgish, "
    "ln Lingala, lo Lao, lt Lithuanian, lv Latvian, mg Malagasy, mi Maori, mk Macedonian, "
    "ml Malayalam, mn Mongolian, mr Marathi, ms Malay, mt Maltese, my Burmese, ne Nepali, "
    "nl Dutch, nn Nynorsk, no Norwegian, oc Occitan, pa Punjabi, pl Polish, ps Pashto, "
    "pt Portuguese, ro Romanian, ru Russian, sa Sanskrit, sd Sindhi, si Sinhala, sk Slovak, "
    "sl Slovenian, sn Shona, so Somali, sq Albanian, sr Serbian, su Sundanese, sv Swedish, "
    "sw Swahili, ta Tamil, te Telugu, tg Tajik, th Thai, tk Turkmen, tl Tagalog, tr Turkish, "
    "tt Tatar, uk Ukrainian, ur Urdu, uz Uzbek, vi Vietnamese, yi Yiddish, yo Yoruba, "
    "yue Cantonese, zh Chinese"
)
LANGUAGES = dict(named.split(" ", 1) for named in _NAMES.split(", "))
"""Names in English, by code."""

SAMPLES = {
    "cs": "Dobré ráno. Takto zní můj hlas.",
    "da": "God morgen. Sådan lyder min stemme.",
    "de": "Guten Morgen. So klingt meine Stimme.",
    "el": "Καλημέρα. Έτσι ακούγεται η φωνή μου.",
    "en": "Good morning. This is how my voice sounds.",
    "es": "Buenos días. Así suena mi voz.",
    "fi": "Hyvää huomenta. Tältä ääneni kuulostaa.",
    "fr": "Bonjour. Voici comment sonne ma voix.",
    "hu": "Jó reggelt. Így szól a hangom.",
    "it": "Buongiorno. Ecco come suona la mia voce.",
    "nl": "Goedemorgen. Zo klinkt mijn stem.",
    "no": "God morgen. Slik høres stemmen min ut.",
    "pl": "Dzień dobry. Tak brzmi mój głos.",
    "pt": "Bom dia. É assim que soa a minha voz.",
    "ro": "Bună dimineața. Așa sună vocea mea.",
    "ru": "Доброе утро. Так звучит мой голос.",
    "sk": "Dobré ráno. Takto znie môj hlas.",
    "sv": "God morgon. Så här låter min röst.",
    "tr": "Günaydın. Sesim böyle duyuluyor.",
    "uk": "Доброго ранку. Ось так звучить мій голос.",
    "vi": "Chào buổi sáng. Đây là giọng nói của tôi.",
}
"""One for each language of the voices that can be fetched."""


def base_of(language: str) -> str:
    """The code without its region, as voices and recognisers name it."""
    return language.replace("_", "-").partition("-")[0].lower()
