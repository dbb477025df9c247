"""A reply is spoken sentence by sentence while it streams, and each is found again in it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pace.speech.spoken_sentences import SpokenSentences, written_until

_PARTS = st.sampled_from(
    [
        *("Hello there", "Dr. Smith", "e.g.", "3.5", "U.S.", "J. ", "etc. ", "no. 5", "…", "..."),
        *(". ", "! ", "? ", "。", "？", "، ", ", ", ": ", " - ", " — ", "; ", " ", "\n", "\n\n"),
        *("**bold. Still**", "`code. x`", "``", "`", "[a. b](http://x.y/z. q)", "[", "](", ")"),
        *("https://x.y/a.b?c=1", "```py\nx = 1. y\n```\n", "```", "~~~\nfoo\n", "| a | b |\n", "|"),
        *(
            "- one",
            "1. two",
            "# Title",
            "> quote",
            "---\n",
            "***",
            "🎉",
            "これは本です",
            "\\.",
            "<br>",
        ),
        *("one two three four five", "$5.50", "2 * 3 = 6", "\t", "    "),
    ]
)
_REPLIES = st.lists(_PARTS, max_size=14).map("".join)


def _spoken(deltas, language="en"):
    sentences = SpokenSentences(language)
    given = [one for delta in deltas for one in sentences.feed(delta)]
    return [*given, *sentences.end()]


def _texts(reply, language="en"):
    return [one.spoken for one in _spoken([reply], language)]


@settings(deadline=None)
@given(reply=_REPLIES, cuts=st.lists(st.integers(0, 200), max_size=8))
def test_deltas_change_nothing(reply, cuts):
    """The sentences are the same however the reply comes in."""
    places = sorted(min(cut, len(reply)) for cut in cuts)
    deltas = [reply[a:b] for a, b in zip([0, *places], [*places, len(reply)], strict=True)]
    assert _spoken(deltas) == _spoken([reply]) == _spoken(list(reply))


@settings(deadline=None)
@given(reply=_REPLIES)
def test_ranges_cover_the_reply(reply):
    """Each character of the reply belongs to one sentence, and all but the last say something."""
    sentences = _spoken([reply])
    assert "".join(reply[one.start : one.end] for one in sentences) == reply
    assert all(one.written == reply[one.start : one.end] for one in sentences)
    assert all(one.start < one.end for one in sentences)
    assert all(one.spoken for one in sentences[:-1])


@settings(deadline=None)
@given(reply=_REPLIES, shares=st.lists(st.floats(0, 1), min_size=2, max_size=2).map(sorted))
def test_what_was_heard_grows_by_whole_words(reply, shares):
    """More sound never gives less text, what is given ends with a word, and all gives all."""
    sentences = SpokenSentences("en")
    for one in [*sentences.feed(reply), *sentences.end()]:
        less, more = (written_until(one, share) for share in shares)
        assert one.start <= less <= more <= one.end
        if one.start < less < one.end:
            assert not reply[less - 1].isspace()
            assert not (
                reply[less - 1].isascii() and reply[less].isascii() and reply[less].isalnum()
            )
        assert written_until(one, 1) == one.end
        assert written_until(one, 0) == one.start


@pytest.mark.parametrize(
    "reply",
    [
        "Dr. Smith said so.",
        "Use it, e.g. today.",
        "It is 3.5 metres.",
        "The U.S. Senate met.",
        "It was J. Smith.",
        "See https://example.com/a.b?c=1 now.",
        "The `a. b` call works.",
        "See [the. docs](http://x.y) now.",
        "Take no. 5 first.",
        "Well... maybe so.",
    ],
)
def test_a_full_stop_within_a_sentence_ends_nothing(reply):
    """Abbreviations, figures, addresses, initials and code hold no end of a sentence."""
    assert len(_spoken([reply])) == 1


@pytest.mark.parametrize(
    ("reply", "language", "count"),
    [
        ("One. Two! Three? Four… Five.", "en", 5),
        ("これは本です。はい！そうですか？", "ja", 3),
        ("هل هذا كتاب؟ نعم.", "ar", 2),
        ("यह किताब है। हाँ।", "hi", 2),
        ("# A title\nSome text\n\n- one\n- two", "en", 4),
        ("A line that\ngoes on here.", "en", 1),
        ("Am 3. Mai kam er.", "de", 1),
        ("Bread, milk, etc. Then home.", "en", 2),
        ("He said no. Then he left.", "en", 2),
        ('"Stop!" she said. (Really.) Yes.', "en", 4),
    ],
)
def test_sentences_end_where_people_end_them(reply, language, count):
    """Marks of several scripts end a sentence, and so does a Markdown block."""
    assert len(_spoken([reply], language)) == count


def test_a_sentence_comes_as_soon_as_it_is_complete():
    """Sound can start before the reply has ended."""
    sentences = SpokenSentences("en")
    assert sentences.feed("It is late.") == []
    assert [one.spoken for one in sentences.feed(" And")] == ["It is late."]


def test_the_first_piece_may_be_a_clause():
    """Four words before a comma go first; later sentences, and shorter clauses, stay whole."""
    assert _texts("If you like that, we go. If you do not want, we stay.") == [
        "If you like that,",
        "we go.",
        "If you do not want, we stay.",
    ]
    assert _texts("Yes, we go.") == ["Yes, we go."]
    assert _texts("That is the plan — we go.")[0] == "That is the plan,"


def test_a_code_block_is_held_until_its_fence_closes():
    """A code block is one sentence, and none of it is said."""
    sentences = SpokenSentences("en")
    assert sentences.feed("```py\nprint(1). x\n\ny = 2\n") == []
    assert [one.spoken for one in sentences.feed("```\n")] == ["A piece of Python code."]


def test_a_table_is_one_sentence_range():
    """The rows of a table stand for one range of the reply."""
    assert _texts("| a | b |\n|---|---|\n| 1 | 2 |\nDone.") == ["a, b. 1, 2.", "Done."]


def test_what_was_heard_is_found_in_the_written_reply():
    """The written words are given, with their markup, up to the last one heard."""
    sentences = SpokenSentences("en")
    reply = "We **walk** 5 km today."
    (sentence,) = [*sentences.feed(reply), *sentences.end()]
    assert sentence.spoken == "We walk 5 kilometers today."
    assert reply[: written_until(sentence, 0.3)] == "We **walk**"
    assert reply[: written_until(sentence, 0.99)] == "We **walk** 5 km"


def test_a_code_block_heard_in_part_is_not_heard():
    """What is named and not read counts only as a whole."""
    sentences = SpokenSentences("en")
    (code,) = sentences.feed("```py\nprint(1)\n```\n")
    assert written_until(code, 0.9) == 0
    assert written_until(code, 1) == code.end
