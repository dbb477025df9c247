"""How a reply is read as an envelope, piece by piece and at its end."""

import json
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pace.envelope.beginning import OPENER
from pace.envelope.model import Call, Envelope, Intent
from pace.envelope.reading import EnvelopeReader
from pace.errors import EmptyReplyError, EnvelopeError

NAMES = ("open_app", "take_note", "list_timers")
NOTE = '{"name": "take_note", "args": {"title": "Shop", "text": "buy milk"}}'
ACT = '{"intent": "action", "spokenText": "Okay.", "payload": ' + NOTE + "}"
TALK = '{"intent": "answer", "spokenText": "Hi."}'


def read(text: str, *, cut_off: bool = False, tokens: int | None = None) -> tuple[str, Envelope]:
    """What was shown, one character after the other, and what came of it."""
    reader = EnvelopeReader(NAMES)
    shown = "".join(reader.feed(character) for character in text)
    return shown, reader.finish(cut_off=cut_off, tokens=tokens)


def fault_of(text: str, **ending) -> str:
    with pytest.raises(EnvelopeError) as raised:
        read(text, **ending)
    return str(raised.value)


def with_payload(payload: str, intent: str = "action") -> str:
    return f'{{"intent": "{intent}", "spokenText": "Okay.", "payload": {payload}}}'


def test_an_action_is_read() -> None:
    """A whole envelope gives its words, its intent and its calls in order."""
    shown, envelope = read(ACT)
    assert shown == envelope.spoken_text == "Okay."
    assert envelope.intent is Intent.ACTION
    assert envelope.calls == (Call("take_note", {"title": "Shop", "text": "buy milk"}),)
    _, envelope = read(
        with_payload(f'{{"calls": [{NOTE}, {{"name": "list_timers", "args": {{}}}}]}}')
    )
    assert [call.name for call in envelope.calls] == ["take_note", "list_timers"]


def test_the_other_fields_are_read() -> None:
    """A payload's texts and its target come with their names; null stands for left out."""
    _, envelope = read(
        with_payload('{"replacement": "x", "target": "selection", "answer": null}', "edit")
    )
    assert envelope.payload == {"replacement": "x", "target": "selection"}
    assert read(with_payload("null", "refuse"))[1].payload == {}
    label = '{"name": "list_timers", "args": {"label": null}}'
    assert read(with_payload(label))[1].calls == (Call("list_timers", {}),)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
def test_keys_may_come_in_any_order(order: tuple[int, ...]) -> None:
    """Words that come last are shown when they come."""
    fields = list(json.loads(ACT).items())
    shown, envelope = read(json.dumps(dict(fields[at] for at in order)))
    assert shown == "Okay."
    assert len(envelope.calls) == 1


def test_words_stream_while_the_rest_is_out() -> None:
    """Words are shown as they come, long before the envelope is whole."""
    reader = EnvelopeReader(NAMES)
    assert reader.feed('{"intent": "action", "spokenText": "Timer') == "Timer"
    assert reader.feed(' set."') == " set."
    assert not reader.is_whole
    assert reader.feed(f', "payload": {NOTE}') == ""
    assert reader.feed("}") == ""
    assert reader.is_whole


def test_a_cut_escape_is_never_shown() -> None:
    """B92: cut after every character, the shown text grows, and holds no half of anything."""
    text = '{"intent": "answer", "spokenText": "ok \\u2705 \\ud83d\\ude00!"}'
    final = "ok ✅ 😀!"
    for cut in range(len(text) + 1):
        reader = EnvelopeReader(NAMES)
        before = ""
        for character in text[:cut]:
            shown = before + reader.feed(character)
            assert shown.startswith(before)
            assert final.startswith(shown)
            before = shown
    assert read(text)[1].spoken_text == final


@given(st.text(), st.booleans(), st.data())
@example('a"b\\c\nd\u2028 {} [] ,:', True, None)  # noqa: FBT003
@example("\ud83d x \ude00 \ud83d", True, None)  # noqa: FBT003
@example("00000\r<", False, None)  # noqa: FBT003
def test_what_is_shown_is_what_is_said(words: str, ascii_only: bool, data) -> None:  # noqa: FBT001
    """B92: whatever the words, however escaped and cut, the shown text is the text of the end."""
    words += "."
    text = json.dumps({"spokenText": words, "intent": "answer"}, ensure_ascii=ascii_only)
    reader = EnvelopeReader(NAMES)
    shown = ""
    while text:
        size = 1 if data is None else data.draw(st.integers(1, len(text)))
        shown += reader.feed(text[:size])
        text = text[size:]
    shown.encode()
    said = reader.finish(cut_off=False, tokens=None).spoken_text
    # What could begin an envelope waits until it is known to be none.
    assert said == shown or (said.startswith(shown) and OPENER.match(said, len(shown)))
    assert said == words.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@given(st.text(alphabet='{}[]",:\\u0d8 ainswertpokTx\n`', max_size=80))
def test_no_reply_breaks_the_reader(text: str) -> None:
    """Whatever comes, nothing but our errors is raised, and no brace of an envelope is shown."""
    for head in ("", '{"intent": ', '{"spokenText": "'):
        try:
            shown, envelope = read(head + text)
        except (EnvelopeError, EmptyReplyError):
            continue
        assert envelope.spoken_text.startswith(shown)


@pytest.mark.parametrize("cut", range(1, len(ACT) + 1))
def test_a_cut_reply_does_nothing(cut: int) -> None:
    """B86: cut off anywhere, its last brace included, it is said in one sentence."""
    fault = fault_of(ACT[:cut], cut_off=True, tokens=1024)
    assert fault == "The reply was cut off at 1,024 tokens, so nothing was done."
    assert "tokens" not in fault_of(ACT[:cut], cut_off=True)


def test_what_breaks_off_without_a_word_counts_as_cut() -> None:
    """An envelope without its end is one that was cut off, whatever the planner says."""
    assert "cut off" in fault_of(ACT[:-1])


@pytest.mark.parametrize("after", ["{}", ACT, "Done!", "\n\nI opened it.", "}", "```", ","])
def test_nothing_may_follow(after: str) -> None:
    """B89: an envelope that goes on after its end is none, and asks for nothing."""
    assert "goes on after its end" in fault_of(f"{ACT}\n{after}")


def test_white_space_may_follow() -> None:
    """B89: blanks around an envelope are fine."""
    assert read(f" \n{ACT} \n\t ")[1].calls


@pytest.mark.parametrize(
    "text",
    [
        '{"intent": "answer", "intent": "action", "spokenText": "x", "payload": ' + NOTE + "}",
        '{"intent": "action", "spokenText": "a", "spokenText": "b", "payload": ' + NOTE + "}",
        with_payload('{"name": "list_timers", "name": "open_app", "args": {}}'),
        with_payload('{"name": "take_note", "args": {"text": "a", "text": "b"}}'),
        with_payload('{"name": "take_note", "args": {"a": {"b": 1, "b": 1}}}'),
        with_payload('{"name": null, "name": "list_timers", "args": {}}'),
    ],
)
def test_a_field_may_stand_there_once(text: str) -> None:
    """B91: a key that comes twice, at any depth, makes it no envelope."""
    assert "the same field twice" in fault_of(text)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_what_is_no_number_is_refused(number: str) -> None:
    """B91: numbers that JSON does not have, or that no number holds, are none."""
    assert "number" in fault_of(with_payload(f'{{"name": "open_app", "args": {{"n": {number}}}}}'))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"intent": "action", "spokenText": "Okay."}', "names none"),
        (with_payload("null"), "names none"),
        (with_payload("{}"), "names none"),
        (with_payload('{"text": "x"}'), "names none"),
        (with_payload(NOTE, "answer"), "asks for an action"),
        (with_payload(NOTE, "shout"), "what it is for"),
        (with_payload('{"name": "delete_all", "args": {}}'), "there is not"),
        (with_payload('{"name": 3, "args": {}}'), "there is not"),
        (with_payload('{"name": "list_timers"}'), "without its arguments"),
        (with_payload('{"name": "list_timers", "args": []}'), "without its arguments"),
        (with_payload('{"args": {}}'), "there is not"),
        (with_payload(f'{{"calls": [{NOTE}], "name": "list_timers"}}'), "several at once"),
        (with_payload('{"calls": []}'), "list its actions"),
        (with_payload('{"calls": {}}'), "list its actions"),
        (with_payload('{"calls": ["list_timers"]}'), "list its actions"),
        (with_payload(f'{{"calls": [{", ".join([NOTE] * 7)}]}}'), "more than 6"),
        (with_payload('{"calls": [{"name": "list_timers", "args": {}, "id": 1}]}'), "belong"),
        (with_payload('{"name": "list_timers", "args": {}, "when": "now"}'), "belong"),
        (with_payload("[]"), "payload"),
        (with_payload('"list_timers"'), "payload"),
        (with_payload('{"text": 3}', "dictate"), "text"),
        (with_payload('{"target": "clipboard"}', "edit"), "target"),
        (with_payload('{"target": ["focused"]}', "edit"), "target"),
        ('{"intent": "answer", "spokenText": "x", "mood": "good"}', "belong"),
        ('{"intent": "answer", "spokenText": 3}', "words"),
        ('{"intent": "answer", "spokenText": null}', "words"),
        ('{"intent": "answer"}', "words"),
        ('{"intent": ["answer"], "spokenText": "x"}', "what it is for"),
        ('{"spokenText": "x"}', "what it is for"),
        ('{"intent": "answer", "spokenText": "x",}', "form"),
        ('{"intent": "answer" "spokenText": "x"}', "form"),
        ('{"intent": "answer", "spokenText": "\\x"}', "form"),
        ("{'intent': 'answer', \"spokenText\": \"x\"}", "form"),
        ("{'intent':'action','spokenText':'x','payload':{'name':'list_timers','args':{}}}", "form"),
        ('{intent: "answer", spokenText: "x"}', "form"),
        ('{"thought": "hm", "intent": "answer", "spokenText": "x"}', "belong"),
        ('{"version": 10, "intent": "answer", "spokenText": "x"}', "belong"),
        ('{"name": "Ann", "intent": "unknown"}', "belong"),
        (f"[{TALK}]", "form"),
        (f"[{{}}, {TALK}]", "form"),
    ],
)
def test_what_is_no_envelope_does_nothing(text: str, fault: str) -> None:
    """Wrong types, unknown names, missing and foreign fields: one sentence, and no action."""
    sentence = fault_of(text)
    assert fault in sentence
    assert sentence.endswith("so nothing was done. Ask again.")


def test_no_sentence_quotes_the_reply() -> None:
    """Errors hold none of the conversation's words."""
    canary = "canary-4711"
    for text in (
        with_payload(f'{{"name": "{canary}", "args": {{}}}}'),
        with_payload(f'{{"{canary}": 1}}'),
        with_payload(f'{{"target": "{canary}"}}', "edit"),
        f'{{"intent": "{canary}", "spokenText": "x"}}',
        f'{{"intent": "answer", "spokenText": "x"}} {canary}',
    ):
        reader = EnvelopeReader(NAMES)
        reader.feed(text)
        with pytest.raises(EnvelopeError) as raised:
            reader.finish(cut_off=False, tokens=None)
        seen = str(raised.value)
        assert canary not in seen
    assert canary not in repr(read(with_payload(f'{{"text": "{canary}"}}', "dictate")))


def test_an_envelope_is_never_shown() -> None:
    """B95: of an action turn in seven chunks only its words are seen, never a brace."""
    size = len(ACT) // 7 + 1
    reader = EnvelopeReader(NAMES)
    shown = [reader.feed(ACT[at : at + size]) for at in range(0, len(ACT), size)]
    assert len(shown) == 7
    assert "".join(shown) == "Okay."


@pytest.mark.parametrize(
    "text",
    [
        '{"action": "none", "reply": "hi"}',
        '{"action": "none", "reply": "hi"}\n{"action": "delete_note", "id": 3}',
        '{"name": "take_note", "id": 3}',
        '[{"name": "Ann", "args": {}}, {"about": {"intent": "x", "payload": 1}}]',
        '```json\n{"a": 1}\n```',
        'So:\n```json\n{"a": {"b": "}"}}\n```\nand <b>{"c": []}</b>, `{"d"}`',
        "body {color: red} and {'a': 'it''s'}, {\"} and {",
        "<b>[[x]] ~~y~~ [](z) {{a}} `b` ``` c",
        "```python\nprint({})\n```",
        "[1, 2]",
        "{}",
        "{",
        '{"int": 3}',
        "Hello {name}, take { this",
        "`{`",
        "  \n",
        "Plain words.",
        '{"a": 1} and {"b": "spokenText"}',
    ],
)
def test_other_json_is_plain_text(text: str) -> None:
    """B95, B89: JSON that a person asked for is shown untouched, and never asks for an action."""
    shown, envelope = read(text)
    assert envelope.is_plain
    assert envelope.intent is Intent.ANSWER
    assert not envelope.calls
    assert envelope.spoken_text == text
    assert text.startswith(shown)


def test_plain_text_is_shown_as_it_comes() -> None:
    """A reply without a form loses nothing of its stream."""
    reader = EnvelopeReader(NAMES)
    assert [reader.feed(word) for word in ("Well", ", {x}", " it is")] == [
        "Well",
        ", {x}",
        " it is",
    ]
    assert reader.finish(cut_off=True, tokens=5).spoken_text == "Well, {x} it is"


def test_an_envelope_after_words_is_hidden_and_does_nothing() -> None:
    """B95: prose ahead of an envelope is shown; the envelope is neither shown nor followed."""
    reader = EnvelopeReader(NAMES)
    shown = "".join(reader.feed(character) for character in f"Sure, {{so}}! {ACT} Bye.")
    assert shown == "Sure, {so}! "
    with pytest.raises(EnvelopeError, match="words ahead"):
        reader.finish(cut_off=False, tokens=None)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('Sure! {"payload": {"name": "list_timers", "args": {}}, "intent": "action"}', "Sure! "),
        ('Sure!\n{"thought": "hm", "intent": "answer", "spokenText": "x"}', "Sure!\n"),
        (f"Here:\n```json\n{ACT}\n```", "Here:\n"),
        (f'{{"a": 1}}\n{ACT}', '{"a": 1}\n'),
        (f"Sure: [{ACT}]", "Sure: "),
        (f"~~~json\n{ACT}\n~~~", ""),
        (f"<answer>{ACT}</answer>", ""),
        (f"```javascript\n{ACT}\n```", ""),
    ],
)
def test_whatever_is_around_an_envelope_none_of_it_is_seen(text: str, shown: str) -> None:
    """Whatever its first key is, and in whatever it is wrapped, an envelope is held back."""
    reader = EnvelopeReader(NAMES)
    assert reader.feed(text) == shown
    with pytest.raises(EnvelopeError, match="words ahead"):
        reader.finish(cut_off=False, tokens=None)


@pytest.mark.parametrize("ahead", ["", "Okay. ", " \n"])
@pytest.mark.parametrize(
    "attempt",
    [
        '<tool_call>{"name": "take_note", "arguments": {}}</tool_call>',
        '<tool_call>\n{"arguments": {}, "name": "take_note"}\n</tool_call>',
        '{"calls": [{"name": "take_note", "args": {"title": "t"}}]}',
        '[{"name": "take_note", "parameters": {}}]',
        '{"tool_calls": [{"function": {"name": "take_note", "arguments": "{}"}}]}',
        '{"action": "take_note", "action_input": {}}',
        "{'name': 'take_note', 'args': {}}",
        '{name: "take_note", args: {}}',
        f'{{"reply": {TALK}}}',
        '```json\n{"name": "take_note", "args": {}}\n```',
    ],
)
def test_an_order_in_another_form_is_hidden_and_does_nothing(ahead: str, attempt: str) -> None:
    """A known action with arguments is no JSON that a person asked for, whatever is around it."""
    reader = EnvelopeReader(NAMES)
    assert reader.feed(ahead + attempt).strip() == ahead.strip()
    with pytest.raises(EnvelopeError) as raised:
        reader.finish(cut_off=False, tokens=None)
    sentence = "The reply asks for an action in another form, so nothing was done. Ask again."
    assert str(raised.value) == sentence


@pytest.mark.parametrize("ahead", ["", "Sure! "])
@pytest.mark.parametrize(
    "piece",
    [
        '{"in',
        '{"intent"',
        '{"version": 10, "spok',
        "{inte",
        '{"a": 1, "b": {"spokenText": "x", "intent": "ans',
        '{"calls": [{"name": "take_note", "args": {"title": "t',
    ],
)
def test_a_piece_of_an_envelope_is_hidden(ahead: str, piece: str) -> None:
    """A reply that ends within what only an envelope begins with was cut off, by itself, too."""
    if not (ahead and '"intent"' in piece):
        assert "cut off" in fault_of(ahead + piece)
    reader = EnvelopeReader(NAMES)
    assert reader.feed(ahead + piece) == ahead


def test_what_begins_with_an_object_and_is_cut_off_is_hidden() -> None:
    """B86: with other keys, too; without a cut they are a person's JSON, whole or not."""
    text = '{"action": "add_note", "text": "buy mi'
    assert "cut off" in fault_of(text, cut_off=True)
    assert read(text)[1].spoken_text == text
    assert read(f"So: {text}", cut_off=True)[1].spoken_text == f"So: {text}"


def test_escaped_keys_are_keys() -> None:
    """An envelope may spell its keys as JSON allows."""
    text = ACT.replace("spokenText", "spoken\\u0054ext").replace('"intent"', '"\\u0069ntent"')
    shown, envelope = read(text)
    assert shown == "Okay."
    assert envelope.calls


def test_any_white_space_may_stand_ahead() -> None:
    """However much of it, and with a mark of byte order, it is no word."""
    for blank in (" " * 300, "\n" * 300 + "\ufeff", "```json\n" + " " * 300, "{" + " " * 300):
        shown, envelope = read(blank + ACT.removeprefix("{" if "{" in blank else ""))
        assert shown == "Okay."
        assert envelope.calls


PIECES = st.sampled_from(
    (
        *(ACT, TALK, NOTE, f"[{ACT}]", ACT.replace('"intent"', '"\\u0069ntent"')),
        *(TALK.replace('"', "'"), '{"thought": "hm", ' + ACT[1:], ACT[:-1], ACT[1:]),
        *('{"a": [1, {"b": "\\u00e9 {"}]}', "{}", "[]", "{name: ", '{"in', '"', "{", "}", "[", "]"),
        *("```json\n", "```\n", "```", "``` ```", "`", "~~~", "\ufeff", " " * 300, "\n", " "),
        *("<tool_call>", "</tool_call>", "<", "Sure! ", "x" * 70, "\\", "\\ud83d", "\ud83d", ":"),
    )
)


def outcome(chunks: Sequence[str], *, cut_off: bool) -> tuple[str, object]:
    """What was shown while it streamed, and what came of it in the end."""
    reader = EnvelopeReader(NAMES)
    shown = "".join(reader.feed(chunk) for chunk in chunks)
    try:
        envelope = reader.finish(cut_off=cut_off, tokens=7)
    except (EnvelopeError, EmptyReplyError) as error:
        return shown, str(error)
    assert envelope.spoken_text.startswith(shown)
    return shown, envelope


@settings(max_examples=400)
@given(st.lists(PIECES, max_size=6), st.integers(0, 30), st.booleans(), st.data())
@example([" " * 300, ACT], 0, False, None)  # noqa: FBT003
@example(["```json\n", ACT, "\n", "`", " ", "``"], 0, False, None)  # noqa: FBT003
def test_the_pieces_in_which_it_comes_do_not_matter(
    pieces: list[str],
    lost: int,
    cut_off: bool,  # noqa: FBT001
    data,
) -> None:
    """The same reply shows, says and does the same, in whatever chunks it arrives."""
    text = "".join(pieces)
    text = text[: len(text) - lost]
    cuts = [] if data is None else data.draw(st.lists(st.integers(0, len(text)), max_size=12))
    bounds = [0, *sorted(cuts), len(text)]
    chunks = [text[a:b] for a, b in pairwise(bounds)]
    whole = outcome([text], cut_off=cut_off)
    assert outcome(chunks, cut_off=cut_off) == whole
    assert outcome(text, cut_off=cut_off) == whole


@given(st.text(alphabet="{}[]\",:'\\u0d8 intespokTxaym\n`<>~\ufeff\ud83d", max_size=60), st.data())
def test_nor_do_they_in_any_text(text: str, data) -> None:
    """The same of texts that are nearly anything."""
    at = data.draw(st.integers(0, len(text)))
    whole = outcome([text], cut_off=False)
    assert outcome([text[:at], text[at:]], cut_off=False) == whole
    assert outcome(text, cut_off=False) == whole


@pytest.mark.parametrize("fence", ["```json\n", "```\n", " ```JSON \n\n"])
def test_one_fence_around_an_envelope_is_allowed(fence: str) -> None:
    """Models that are merely asked for a form like to fence it in."""
    shown, envelope = read(f"{fence}{ACT}\n```\n")
    assert shown == "Okay."
    assert len(envelope.calls) == 1
    assert "goes on" in fault_of(f"{fence}{ACT}\n```\nDone!")
    assert "goes on" in fault_of(f"{fence}{ACT}\n``` ```")


def test_an_answer_without_words_is_an_empty_reply() -> None:
    """Blank words are a reply only if something is done, or a text stands in the payload."""
    with pytest.raises(EmptyReplyError):
        read('{"intent": "answer", "spokenText": " "}')
    assert read('{"intent": "dictate", "spokenText": "", "payload": {"text": "x"}}')[1].payload
    assert read(ACT.replace("Okay.", ""))[1].calls


def test_bare_line_ends_in_words_are_words() -> None:
    """Models write line ends that JSON would have escaped; they leave no doubt."""
    assert read('{"intent": "answer", "spokenText": "a\nb\tc"}')[0] == "a\nb\tc"


def test_depth_and_size_are_bounded() -> None:
    """A reply that nests or grows without end is refused, and breaks nothing."""
    deep = "[" * 100_000 + "]" * 100_000
    assert "larger" in fault_of(with_payload(f'{{"name": "open_app", "args": {{"a": {deep}}}}}'))
    digits = "9" * 10_000
    assert "form" in fault_of(with_payload(f'{{"name": "open_app", "args": {{"a": {digits}}}}}'))
    reader = EnvelopeReader(NAMES)
    reader.feed('{"intent": "answer", "spokenText": "')
    for _ in range(11):
        reader.feed("x" * 100_000)
    reader.feed('"}')
    with pytest.raises(EnvelopeError, match="larger"):
        reader.finish(cut_off=False, tokens=None)


def test_no_more_than_the_bound_is_read() -> None:
    """Whatever comes beyond what is of use is not looked at, nor shown."""
    for head in (TALK[:-3], '{"a": "', '[{"a": "'):
        reader = EnvelopeReader(NAMES)
        shown = reader.feed(head) + reader.feed("x" * 1_100_000)
        assert reader.feed('"}') == reader.feed(ACT) == ""
        assert len(shown) < 1_000_000
        assert not reader.is_whole
        with pytest.raises(EnvelopeError, match="larger"):
            reader.finish(cut_off=False, tokens=None)
    size = 1_000_000 - len(TALK)
    assert read(TALK[:-2] + "x" * size + TALK[-2:])[0].endswith("x")
    assert "larger" in fault_of(TALK[:-2] + "x" * (size + 1) + TALK[-2:])


def test_a_long_reply_may_come_in_characters() -> None:
    """Each character is looked at once, so that a long reply takes no more than its length."""
    reader = EnvelopeReader(NAMES)
    words = "ab { " * 40_000
    for character in '{"intent": "answer", "spokenText": "' + words + '"}':
        reader.feed(character)
    assert reader.finish(cut_off=False, tokens=None).spoken_text == words


@pytest.mark.parametrize(
    "inner",
    [
        json.dumps({"spokenText": "Timer set.", "intent": "action", "payload": {}}),
        json.dumps({"intent": "answer", "spokenText": "Hi."}),
        "Sure: " + json.dumps({"spokenText": "Hi.", "intent": "answer"}),
        '{"spokenText": "Hi.", "int',
    ],
)
def test_an_envelope_in_the_words_of_another_is_not_shown(inner: str) -> None:
    """B95: a model that puts the whole envelope into its words once more shows none of it."""
    for size in (1, 7, 1000):
        reader = EnvelopeReader(NAMES)
        text = json.dumps({"spokenText": inner, "intent": "answer"})
        shown = "".join(reader.feed(text[at : at + size]) for at in range(0, len(text), size))
        assert shown in {"", "Sure: "}
        with pytest.raises(EnvelopeError, match="in its words"):
            reader.finish(cut_off=False, tokens=None)


def test_an_envelope_in_a_dictated_text_is_not_shown() -> None:
    """B95: nor one that stands where a text for the person belongs."""
    inner = json.dumps({"spokenText": "Hi.", "intent": "answer"})
    reader = EnvelopeReader(NAMES)
    whole = {"spokenText": "Here.", "intent": "dictate", "payload": {"text": inner}}
    assert reader.feed(json.dumps(whole)) == "Here."
    with pytest.raises(EnvelopeError, match="in its payload"):
        reader.finish(cut_off=False, tokens=None)


def test_other_json_in_the_words_is_shown() -> None:
    """B95, control: what a person may have asked for is shown as it is."""
    reader = EnvelopeReader(NAMES)
    words = 'Here: {"city": "Ulm"} is it.'
    shown = reader.feed(json.dumps({"spokenText": words, "intent": "answer"}))
    assert shown == reader.finish(cut_off=False, tokens=None).spoken_text == words
