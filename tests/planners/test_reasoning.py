"""The filter that keeps a model's reasoning out of its reply."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pace.planners.reasoning import ReasoningFilter, without_reasoning


def shown(*chunks: str) -> str:
    blocks = ReasoningFilter()
    text = ""
    for take in (*(partial(blocks.feed, chunk) for chunk in chunks), blocks.finish):
        more = take()
        text = more if blocks.takes_back() else text + more
    return text


@pytest.mark.parametrize(
    ("chunks", "visible"),
    [
        (("<th", "ink>sec", "ret</thi", "nk>ANS", "WER"), "ANSWER"),
        (("a <", " b"), "a < b"),
        (("x <", ""), "x <"),
        (("x <thin",), "x <thin"),
        (("<<think>s</think>A",), "<A"),
        (("<THINK>s</Think>A",), "A"),
        (("<thinking>s</think>t</thinking>A",), "A"),
        (("<reasoning>s</reasoning>A<think>t</think>B",), "AB"),
        (('<think time="3">s</think>A',), "A"),
        (("<think >s</think >A",), "A"),
        (("<thought>s</thought>A",), "A"),
        (("<seed:think>s</seed:think>A",), "A"),
        (("[THINK]s[/THINK]A",), "A"),
        (("◁think▷s◁/think▷A",), "A"),
        (("<|START_THINKING|>s<|END_THINKING|>A",), "A"),
        (("<|channel>thought\ns<channel|>A",), "A"),
        (("<|channel|>analysis<|message|>s<|end|>", "<|channel|>final<|message|>A"), "A"),
        (
            (
                "<|channel|>analysis<|message|>s<|end|><|start|>assistant",
                "<|channel|>commentary to=x <|constrain|>json<|message|>{}<|call|>",
                "<|start|>assistant",
                "<|channel|>final<|message|>A<|return|>",
            ),
            "A",
        ),
        (("<|channel|>analysis<|message|>s<|channel|>final<|message|>A",), "A"),
        (("<thinking about it> so",), "<thinking about it> so"),
        (("[THINKING] so [x]",), "[THINKING] so [x]"),
        (("<thinker>x",), "<thinker>x"),
    ],
)
def test_only_whole_blocks_are_hidden(chunks: tuple[str, ...], visible: str) -> None:
    """Reasoning blocks of every name and case vanish; whatever merely looks like one stays."""
    assert shown(*chunks) == visible


@pytest.mark.parametrize(
    ("chunks", "visible"),
    [
        (("secret991 without opener</think>Answer",), "Answer"),
        (("secret991 ", "without opener</th", "ink>\n\nAns", "wer"), "\n\nAnswer"),
        (("\n</think>\n\nAnswer",), "\n\nAnswer"),
        (("<think>a<think>b</think>secret991</think>Answer",), "Answer"),
        (("secret991[/THINK]Answer",), "Answer"),
        (("secret991<|channel|>final<|message|>Answer",), "Answer"),
        (('I say "hi"</think>Hi',), "Hi"),
        (("I say `hi`", "</think>", "\nHi"), "\nHi"),
        (("secret991</think>",), ""),
        (('secret991 "</think>',), ""),
    ],
)
def test_a_closing_tag_alone_takes_back_what_stood_before_it(
    chunks: tuple[str, ...], visible: str
) -> None:
    """B60: where the opening stood in the prompt, or one stood within another, none is kept."""
    assert shown(*chunks) == visible
    assert without_reasoning("".join(chunks)) == visible.strip()


@pytest.mark.parametrize(
    "text",
    [
        "Close the block with `</think>`, and open it with `<think>`.",
        'Split it: text.split("</think>")[-1]',
        '{"intent": "answer", "spoken_text": "It ends with </think> there."}',
    ],
)
def test_words_about_tags_stand(text: str) -> None:
    """A tag in quotes, or within an envelope, is what was asked about, and no reasoning."""
    assert shown(text) == text
    assert shown(*text) == text


@pytest.mark.parametrize("at", range(len("<think>s</think>A") + 1))
def test_a_tag_may_be_split_anywhere(at: int) -> None:
    """Every way to cut a reply in two shows the same."""
    text = "<think>s</think>A"
    assert shown(text[:at], text[at:]) == "A"


def test_a_block_left_open_hides_all_that_follows() -> None:
    """A reply that was cut within its reasoning has no words."""
    assert without_reasoning("<think>Okay, the user wants a shorter version of") == ""


def test_a_whole_text_is_cleaned_and_trimmed() -> None:
    """What is left of a text is exactly what stands outside its block."""
    text = "<think>They like tea.</think>\nUser prefers oolong; meeting is on Friday."
    assert without_reasoning(text) == "User prefers oolong; meeting is on Friday."


def test_the_text_of_blocks_can_be_taken() -> None:
    """What stood in blocks is given out once, piece by piece, and never a tag of it."""
    blocks = ReasoningFilter()
    taken = []
    for chunk in ("<thi", "nk>first ", "plan</th", "ink>Hi", " <reasoning>second</reasoning>!"):
        blocks.feed(chunk)
        taken.append(blocks.take_reasoning())
    assert taken == ["", "first ", "plan", "", "second"]
    assert blocks.take_reasoning() == ""


PIECES = st.lists(
    st.sampled_from(
        [
            "<",
            "</",
            "think",
            "thinking",
            "reasoning",
            ">",
            "a",
            " ",
            "<think>",
            "İ",
            "`",
            '"',
            "{",
            "</think>",
            ' a="b"',
            "[THINK]",
            "[/THINK]",
            "<|channel|>",
            "final",
            "analysis",
            "<|message|>",
            "<|end|>",
        ]
    ),
    max_size=12,
)


@given(PIECES, st.data())
def test_cuts_change_nothing(pieces: list[str], data: st.DataObject) -> None:
    """However a reply is cut into chunks, the same text is shown."""
    text = "".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    chunks = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert shown(*chunks) == shown(text)
