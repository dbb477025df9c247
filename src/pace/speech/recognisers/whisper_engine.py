"""One loaded Whisper model, called from one thread.

Whisper is made to look at 30 s, however little was said. A short sound is given here with some
silence behind it instead, and anew with the whole 30 s if what came of it looks wrong. (Measured,
ten spoken sentences of 2 to 3 s, int8, CPU time a sentence: base 0.98 s for 30 s and 0.35 s with
8 s of silence, at 6 % and 3 % of words wrong; with 3 s or less it repeats itself. A beam of 5 takes
a tenth more time and finds no other words.)
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from faster_whisper import WhisperModel
from faster_whisper.tokenizer import Tokenizer
from numpy.typing import NDArray

from pace.speech.ports import RATE, Heard, HeardWord, Sound
from pace.speech.sound import at_rate

_THREADS = 2
_SILENCE_BEHIND = 8.0
_SHORT = 20.0
"""Up to so many seconds the silence behind saves time: a whole look is at 30 s."""
# Whisper's own marks of a failed look (openai/whisper, transcribe.py).
_REPEATS = 2.4
_UNSURE = -1.0
# Nobody says more: fast speech is six syllables a second.
_TOKENS_A_SECOND, _TOKENS_AT_LEAST = 12, 24
_FULL_SCALE = 32768.0

Samples = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Look:
    """What came of one look at a short sound, and whether it ended by itself."""

    heard: Heard
    is_whole: bool

    @property
    def is_good(self) -> bool:
        return (
            self.is_whole
            and self.heard.compression <= _REPEATS
            and self.heard.log_probability >= _UNSURE
        )


class WhisperEngine:
    """The model of a folder that holds all its files."""

    def __init__(self, folder: Path) -> None:
        self._model: Any = WhisperModel(
            str(folder),
            device="cpu",
            compute_type="int8",
            cpu_threads=_THREADS,
            local_files_only=True,
        )
        self.languages: Sequence[str] = self._model.supported_languages

    def heard(self, sound: Sound, language: str | None, *, words: bool) -> Heard:
        """What is said, in the language that is named or found."""
        samples = np.frombuffer(at_rate(sound).samples, np.int16).astype(np.float32) / _FULL_SCALE
        if words or sound.seconds > _SHORT:
            return self._looked_at_whole(samples, language, words=words)
        look = self._looked_at_short(samples, language)
        if look.is_good:
            return look.heard
        return self._looked_at_whole(samples, language, words=False)

    def _looked_at_short(self, samples: Samples, language: str | None) -> _Look:
        engine = self._model.model
        encoded = self._model.encode(self._features(samples))
        if language is None:
            language = self._detected(encoded)
        tokenizer = self._tokenizer(language)
        prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
        most = _TOKENS_AT_LEAST + int(_TOKENS_A_SECOND * len(samples) / RATE)
        (result,) = engine.generate(
            encoded,
            [prompt],
            beam_size=1,
            max_length=len(prompt) + most,
            suppress_tokens=sorted({*tokenizer.non_speech_tokens, *_controls(tokenizer)}),
            return_scores=True,
            return_no_speech_prob=True,
        )
        tokens = result.sequences_ids[0]
        text = tokenizer.decode(tokens).strip()
        heard = Heard(
            text=text,
            language=language,
            no_speech=result.no_speech_prob,
            # As faster-whisper counts: the end is a token, too; scores are means over the others.
            log_probability=result.scores[0] * len(tokens) / (len(tokens) + 1),
            compression=_compression(text),
        )
        return _Look(heard, is_whole=len(tokens) < most)

    def _looked_at_whole(self, samples: Samples, language: str | None, *, words: bool) -> Heard:
        found, info = self._model.transcribe(
            samples,
            language=language,
            beam_size=1,
            temperature=0.0,
            condition_on_previous_text=False,
            without_timestamps=not words and len(samples) <= _SHORT * RATE,
            word_timestamps=words,
            no_speech_threshold=None,  # whoever asks judges by the probability
        )
        segments = list(found)
        text = "".join(segment.text for segment in segments).strip()
        tokens = sum(len(segment.tokens) for segment in segments)
        total = sum(segment.avg_logprob * len(segment.tokens) for segment in segments)
        return Heard(
            text=text,
            language=info.language,
            no_speech=min((segment.no_speech_prob for segment in segments), default=1.0),
            log_probability=total / tokens if tokens else 0.0,
            compression=_compression(text),
            words=tuple(
                HeardWord(word.word.strip(), word.start, word.end, word.probability)
                for segment in segments
                for word in segment.words or ()
            ),
        )

    def _features(self, samples: Samples) -> NDArray[np.float32]:
        silence = np.zeros(int(_SILENCE_BEHIND * RATE), np.float32)
        extractor = self._model.feature_extractor
        features: NDArray[np.float32] = extractor(np.concatenate([samples, silence]), padding=0)
        even = features.shape[-1] // 2 * 2  # the encoder takes them in twos
        return np.ascontiguousarray(features[..., :even])

    def _detected(self, encoded: object) -> str:
        if not self._model.model.is_multilingual:
            return "en"
        ((best, *_),) = self._model.model.detect_language(encoded)
        token: str = best[0]
        return token.strip("<|>")

    def _tokenizer(self, language: str) -> Any:  # noqa: ANN401  # the library has no types
        return Tokenizer(
            self._model.hf_tokenizer,
            self._model.model.is_multilingual,
            task="transcribe",
            language=language,
        )


def _controls(tokenizer: Any) -> tuple[int, ...]:  # noqa: ANN401  # as above
    """Tokens that are no words, as openai/whisper suppresses them (decoding.py)."""
    return (
        *(tokenizer.transcribe, tokenizer.translate, tokenizer.sot),
        *(tokenizer.sot_prev, tokenizer.sot_lm, tokenizer.no_speech),
    )


def _compression(text: str) -> float:
    raw = text.encode()
    return len(raw) / len(zlib.compress(raw)) if raw else 0.0
