"""Tells the texts that recognisers make of silence, noise and music from what a person said.

The thresholds are Whisper's own: `no_speech_threshold`, `logprob_threshold` and
`compression_ratio_threshold` of its `transcribe.py` (and section 4.5 of its paper). The sentences
are those of openai/whisper discussions 679 and 928: what subtitles say where nobody speaks.
"""

import re

from pace.speech.plain_words import plain_words
from pace.speech.ports import Heard

_NO_SPEECH = 0.6
_LOG_PROBABILITY = -1.0
_COMPRESSION = 2.4

# From here on a courtesy that a person may well say is believed to be a phantom: a person who
# really says "thank you" gives 0.02, silence 0.3 and more.
_DOUBTFUL_SPEECH = 0.3

_SOUND_LABEL = re.compile(r"\[[^\]]*\]|\([^)]*\)|（[^）]*）|【[^】]*】|\*[^*]*\*|♪[^♪]*♪|<[^>]*>")
_SENTENCE_END = re.compile(r"[.!?…。！？؟।\n]+(?:\s|$)|[。！？]")

# Words that only the credits of subtitles hold; a text with one of them is no person's.
_CREDITS = re.compile(
    r"amara\W?org|mooji\W?org|qtss|zeoranger|sous.?titreur|sous.?titrage st|alimmenta"
    r"|(?:untertitel\w*|copyright|ondertitel\w*) (?:im auftrag|von stephanie|wdr|zdf|ndr|npo|tv)"
    r"|^(?:swr|wdr|zdf|ard|br|ndr)(?: (?:fur|für) \w+)? (?:19|20)\d\d$"
    r"|^(?:subtitles?|subtitled|captions?|captioned|captioning|transcription|transcribed|translated"
    r"|translation) (?:and \w+ )?by\b"
    r"|^(?:untertitel\w*|ubersetzung) (?:von|durch|der)\b"
    r"|^(?:sous titr\w+|traduction) (?:par|realise\w*|fait\w*|de)\b"
    r"|^(?:subtitulo\w*|subtitulado|traduccion) (?:por|realizad\w+|cread\w+|hech\w+|de)\b"
    r"|^(?:sottotitoli|traduzione) (?:a cura|e revisione|di|creati|da)\b"
    r"|^(?:legendas?|legendado|transcricao e legendas) (?:por|pela|de)\b"
    r"|^(?:ondertitel\w*|ondertiteld) (?:door|ingediend)\b"
    r"|^редактор субтитров|^субтитры |^napisy (?:stworzone|wykonane|robione)"
    r"|字幕由|字幕提供|字幕志愿者|小编字幕"
)

# Sentences with which films end, and that nobody says to a companion.
_FAREWELLS_TO_VIEWERS = (
    "thanks for watching",
    "thank you for watching",
    "thank you so much for watching",
    "thanks for watching and see you next time",
    "thank you for your watching",
    "see you in the next video",
    "see you next video",
    "i'll see you in the next one",
    "please subscribe",
    "please subscribe to my channel",
    "please like and subscribe",
    "like and subscribe",
    "don't forget to like and subscribe",
    "don't forget to subscribe",
    "vielen dank fürs zuschauen",
    "danke fürs zuschauen",
    "danke fürs zusehen",
    "vielen dank für's zuschauen",
    "bis zum nächsten video",
    "bis zum nächsten mal auf wiedersehen",
    "merci d'avoir regardé cette vidéo",
    "merci d'avoir regardé la vidéo",
    "merci d'avoir regardé",
    "abonnez-vous",
    "n'oubliez pas de vous abonner",
    "gracias por ver el video",
    "gracias por ver",
    "suscríbete",
    "suscríbete al canal",
    "nos vemos en el próximo video",
    "no olvides suscribirte",
    "grazie per aver guardato il video",
    "grazie per la visione",
    "iscriviti al canale",
    "iscrivetevi al canale",
    "obrigado por assistir",
    "obrigada por assistir",
    "inscreva-se no canal",
    "até o próximo vídeo",
    "bedankt voor het kijken",
    "tot de volgende keer",
    "abone olmayı unutmayın",
    "yorumlarınıza abone olmayı unutmayın",
    "izlediğiniz için teşekkür ederim",
    "dziękuję za oglądanie",
    "dziękuję za uwagę",
    "спасибо за просмотр",
    "продолжение следует",
    "подписывайтесь на канал",
    "ご視聴ありがとうございました",
    "ご清聴ありがとうございました",
    "次の動画でお会いしましょう",
    "チャンネル登録をお願いします",
    "시청해주셔서 감사합니다",
    "구독과 좋아요 부탁드립니다",
    "谢谢观看",
    "感谢观看",
    "请不吝点赞订阅转发打赏支持明镜与点点栏目",
    "תודה על הצפייה",
    "شكرا على المشاهدة",
    "اشتركوا في القناة",
)

# Sounds and courtesies, which a person says too: phantoms only where speech is doubtful.
_COURTESIES = (
    "you",
    "thank you",
    "thanks",
    "thank you very much",
    "thank you so much",
    "bye",
    "bye bye",
    "okay",
    "oh",
    "uh",
    "um",
    "mm",
    "mhm",
    "hmm",
    "so",
    "the",
    "i'm sorry",
    "see you",
    "see you next time",
    "we'll be right back",
    "music",
    "applause",
    "laughter",
    "vielen dank",
    "danke",
    "tschüss",
    "musik",
    "applaus",
    "merci",
    "au revoir",
    "musique",
    "gracias",
    "adiós",
    "música",
    "grazie",
    "ciao",
    "musica",
    "obrigado",
    "obrigada",
    "tchau",
    "bedankt",
    "dank je wel",
    "muziek",
    "ありがとうございました",
    "おやすみなさい",
    "감사합니다",
    "谢谢",
    "спасибо",
    "teşekkürler",
)


def is_phantom(heard: Heard) -> bool:
    """Whether nobody said this: a text of silence, noise, music or a click, or no text at all."""
    unlabelled = _SOUND_LABEL.sub(" ", heard.text)
    if not plain_words(unlabelled):
        return True
    if heard.compression > _COMPRESSION:
        return True
    unlikely = heard.log_probability < _LOG_PROBABILITY
    if heard.no_speech > _NO_SPEECH and unlikely:
        return True
    doubtful = heard.no_speech >= _DOUBTFUL_SPEECH or unlikely
    sentences = [" ".join(plain_words(part)) for part in _SENTENCE_END.split(unlabelled)]
    return all(_is_phantom_sentence(one, doubtful=doubtful) for one in sentences if one)


def _is_phantom_sentence(plain: str, *, doubtful: bool) -> bool:
    if _CREDITS.search(plain) or plain in _PLAIN_FAREWELLS:
        return True
    return doubtful and plain in _PLAIN_COURTESIES


def _plain(sentences: tuple[str, ...]) -> frozenset[str]:
    return frozenset(" ".join(plain_words(one)) for one in sentences)


_PLAIN_FAREWELLS = _plain(_FAREWELLS_TO_VIEWERS)
_PLAIN_COURTESIES = _plain(_COURTESIES)
