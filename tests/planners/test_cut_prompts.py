"""Whether a prompt was cut is told by counts that no tokenizer's habits can explain."""

import pytest

from pace.planners.cut_prompts import is_cut, least_tokens
from pace.planners.embedded.process import EngineProcess
from pace.planners.llama_server import LlamaServer
from pace.planners.model_names import is_for_chat, is_same_model

TEXTS = {
    "talk": 'Well, I think that\'s a good idea. "Yes," she said (and she meant it), "don\'t!" '
    * 20,
    "code": "def f(x: int) -> int:\n    return self._a.b(x)[3] + 12345 if x != 'y' else {}\n" * 20,
    "address": "https://www.example.com/a-b/c_d?e=f&g=3.14 " * 20,
    "Chinese": "今天的天气很好,我们去公园散步吧。" * 20,
    "Japanese": "今日はとてもいい天気ですね。ありがとうございます。" * 20,
    "Korean": "오늘은 날씨가 아주 좋네요. 공원에 갈까요? " * 20,
    "Russian": "Сегодня хорошая погода, пойдём гулять. " * 20,
    "emoji": "🌍🎉 👍🏽 hi! " * 40,
    "a row": "a" * 1000,
    "blank": " \n" * 500,
}


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.asyncio(loop_scope="session")
async def test_the_least_is_less_than_a_real_tokenizer_makes(
    process: EngineProcess, kind: str
) -> None:
    """Of every kind of text a real tokenizer makes more, so whole prompts never count as cut."""
    server = LlamaServer(process.client, process.root, server="the engine")
    (real,) = await server.count_tokens([TEXTS[kind]])
    assert least_tokens([TEXTS[kind]]) <= real
    assert not is_cut(real, least_tokens([TEXTS[kind]]))


def test_the_least_of_english_is_most_of_it() -> None:
    """A cut of a quarter shows: the least is four fifths of what the usual tokenizers make."""
    words = 14 * 20  # a word is a token in every large vocabulary
    assert least_tokens([TEXTS["talk"]]) >= words


@pytest.mark.parametrize(
    ("read", "least", "cut"),
    [
        (2048, 5000, True),
        (4990, 5000, False),
        (4600, 5000, False),
        (4096, 4600, True),
        (10, 60, False),
        (0, 5000, False),
    ],
)
def test_only_a_clear_difference_is_a_cut(read: int, least: int, cut: bool) -> None:  # noqa: FBT001
    """Some tokens less, or a server that counts nothing, are none."""
    assert is_cut(read, least) is cut


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("llama3.2", "llama3.2:latest"),
        ("google/gemma-3-1b", "gemma-3-1b"),
        ("/models/Qwen3-4B.gguf", "qwen3-4b"),
        ("C:\\models\\Qwen3-4B.gguf", "qwen3-4b"),
        ("gemma-3-1b-it-qat", "gemma-3-1b-it-qat:2"),
        ("qwen3-4b@q4_k_m", "qwen3-4b"),
        ("gpt-x", "gpt-x-2026-01-31"),
    ],
)
def test_one_model_has_many_names(one: str, other: str) -> None:
    """Publisher, folder, ending, variant, copy and day name no other model."""
    assert is_same_model(one, other)


@pytest.mark.parametrize(
    ("one", "other"), [("llama3:8b", "llama3:70b"), ("qwen3", "qwen3-vl"), ("m", "n")]
)
def test_other_models_have_other_names(one: str, other: str) -> None:
    """Another size or another kind is another model."""
    assert not is_same_model(one, other)


@pytest.mark.parametrize(
    "name", ["nomic-embed-text", "BAAI/bge-m3", "all-minilm:l6", "qwen3-reranker", "e5-small"]
)
def test_models_that_make_vectors_are_not_offered(name: str) -> None:
    """Their names tell them apart."""
    assert not is_for_chat(name)


@pytest.mark.parametrize("name", ["gemma-3", "llama3.2:3b", "phi-4-mini", "ling-lite", "smollm2"])
def test_models_that_answer_are_offered(name: str) -> None:
    """No name of a chat model's family is taken for the other kind."""
    assert is_for_chat(name)
