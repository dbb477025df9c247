"""What can be taken for a marker is made harmless, and nothing else is touched."""

import html
import re
import unicodedata

import hypothesis.strategies as st
import pytest
from hypothesis import example, given, settings

from pace.memory.markers import BlockName, harmless

# From the published tokenizer configurations of each family.
MARKERS = {
    "ChatML": "<|im_start|> <|im_end|> <|endoftext|>",
    "Qwen": "<|object_ref_start|> <|vision_start|> <|fim_prefix|> "
    "<think> </think> <tool_call> </tool_call> <tool_response> <tools> </tools>",
    "SmolLM": "<repo_name> <reponame> <file_sep> <filename> <gh_stars> <issue_start>"
    " <issue_comment> <issue_closed> <jupyter_start> <jupyter_text> <jupyter_code> <jupyter_output>"
    " <jupyter_script> <empty_output>",
    "Llama 3": "<|begin_of_text|> <|start_header_id|> <|end_header_id|> <|eot_id|> <|eom_id|>"
    " <|python_tag|> <|reserved_special_token_250|> <|finetune_right_pad_id|>",
    "Llama 2": "[INST] [/INST] <<SYS>> <</SYS>> <s> </s> <unk>",
    "Gemma": "<start_of_turn> <end_of_turn> <bos> <eos> <pad> <unk> <mask> <unused99>"
    " <start_of_image>",
    "Phi": "<|user|> <|assistant|> <|system|> <|end|> <|im_sep|> <|endofprompt|> <|tool|>",
    "Mistral": "<s> </s> [INST] [/INST] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [AVAILABLE_TOOLS]"
    " [/AVAILABLE_TOOLS] [TOOL_CALLS] [TOOL_RESULTS] [/TOOL_RESULTS] [TOOL_CONTENT] [IMG]"
    " [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] [THINK] [/THINK] [ARGS] [CALL_ID]",
    "DeepSeek": "<｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <｜User｜> <｜Assistant｜> <|EOT|>"
    " <｜tool▁calls▁begin｜> <｜fim▁hole｜> <think>",
    "others": "<|start|> <|channel|> <|message|> <|START_OF_TURN_TOKEN|> [gMASK] <sop>"
    " <|observation|> <extra_id_0> <reserved_106> <fim_suffix>",
    "bars in brackets": "[|system|] [|Human|] [|endofturn|]",
    "bars on one side": "<|turn> <turn|> <|channel> <channel|> <|tool_call> <tool_call|>",
    "Cohere": "<BOS_TOKEN> <EOS_TOKEN> <PAD_TOKEN>",
    "InternLM": "<eoh> <eoa> [UNUSED_TOKEN_145]",
    "Seed": "<seed:bos> <seed:eos> <seed:think> </seed:think>",
    "SmolVLM": "<end_of_utterance>",
    "Nemotron": "<SPECIAL_12> <tool_calls> </tool_calls>",
    "MiniMax": "]~b] ]~!b[ [e~[",
    "Falcon": ">>ANSWER<< >>QUESTION<< >>TITLE<<",
    "DeepSeek Coder": "<fim▁begin> <fim▁hole> <fim▁end> <tool▁call▁end>",
    "ours": "<conversation_so_far> </conversation_so_far> <about_the_person> </lasting_facts>"
    " <recalled_turns> <now> </now>",
}
CODE = (
    "if a < b and c > d: x[i] += y[INDEX]",
    "List<int> xs; std::vector<std::pair<int, s>> ys; Map<String, List<T>> m;",
    "<div class='x'><p>hello</p><br/><a href=\"#\">go</a></div><style>p {}</style><section>",
    "xs |> Enum.map(f) |> IO.inspect",
    "liftA2 f <$> p <|> q <||> r",
    "f <| x > 3; a <| b; xs |> f; a || b > c; x = y[i]|z[j]; cat <in |tee >out",
    "std::cout >>x<< y; a>>ANSWER; b<<ANSWER; xs[~b]; d[a]~c",
    "type T = Array<string | number>; Promise<A|B>; Foo<seed>",
    "while (t < now && now > start) { t <<= 1; s >>= 2; }",
    "if deadline <now: return regs[inst], xs[args], [prefix]",
    "a <= b, a <- b, a << b, a <> b, cout << SYS << endl",
    "see [1], [INSTALL], [x](y) and [[wiki]]",
    "SELECT * FROM t WHERE a<5 AND b>3 -- <!-- no -->",
    "naïve < 北京 > 🌍 ［注］ ＜引用＞",
    "think, now, tools, user: system: assistant:",
)
SIGNS = [
    "<",
    "<<",
    ">",
    "/",
    "[",
    "]",
    "|",
    "｜",
    "＜",
    "﹤",
    "［",
    "＞",
    "&lt;",
    " ",
    "\n",
    "\u200b",
    "\\",
    ">>",
    "~",
]
TAGS = [
    "conversation_so_far",
    "Conversation_So_Far",
    "lasting_facts",
    "laﬆing_facts",
    "ｎｏｗ",
    "now",
]
TOKENS = ["im_start", "INST", "SYS", "s", "think", "end_of_turn", "end▁of▁sentence", "x", "é"]
TOKENS += ["ANSWER", "~b", "e~", "fim▁begin"]
UNSEEN = "\u200b\ufe0f\u034f\u115f\u1160\u180b\u2800\u3164\uffa0\U000e0000\U000e0041\U000e0101"
PIECES = st.sampled_from((*SIGNS, *TAGS, *TOKENS, "now", "_", " ", "\n", *UNSEEN))
HOSTILE = st.lists(PIECES, max_size=24).map("".join)


def as_read(text: str) -> str:
    """A text as the most lenient reader takes it: compatibility forms folded, nothing invisible."""
    seen = (c for c in text if unicodedata.category(c) != "Cf" and c not in UNSEEN)
    return unicodedata.normalize("NFKC", "".join(seen))


def tags_in(text: str, name: str = "conversation_so_far") -> list[str]:
    """Opening and closing tags as "" and "/", however they are spaced or written."""
    return re.findall(rf"<[\s\\]*(/?)[\s/\\]*{name}_*\b", as_read(text), re.IGNORECASE)


@pytest.mark.parametrize(
    "marker", [marker for family in MARKERS.values() for marker in family.split()]
)
def test_a_marker_is_none_any_more(marker: str) -> None:
    """B63: markers of every template family are broken up, and the text stays readable."""
    for text in (marker, f"hi{marker}\nsystem", f"é{marker}{marker}", marker.upper()):
        safe = harmless(text)
        assert marker not in safe
        if text != marker.upper():
            assert html.unescape(safe) == text


@pytest.mark.parametrize(
    "text",
    [
        "</ Conversation_So_Far >",
        "<\n/conversation_so_far\n>",
        "</conversation_so_far and more",
        "<\u200b/conver\u2060sation_so_far>",
        "＜/conversation_so_far＞",
        "﹤／ｃｏｎｖｅｒｓａｔｉｏｎ＿ｓｏ＿ｆａｒ﹥",
        "<recalled_turns id='1'>",
        "<laﬆing_facts>",
        "< now >",
        "</conver\u034fsation_so_far>",
        "</conversation\U000e0101_so_far>",
        "</con\u180bversation_so_far>",
        "<\U000e0100/conversation_so_far>",
        "</conversation\U000e0020_so\U000e0000_far\u2800>",
        "<//conversation_so_far>",
        "<\\/conversation_so_far>",
        "</conversation_so_far_>",
        "<//now>",
    ],
)
def test_our_tags_are_found_however_they_are_written(text: str) -> None:
    """B15: spaces, letter case, zero-width characters and compatibility forms hide no tag."""
    assert [tags_in(harmless(text), name) for name in BlockName] == [[]] * len(BlockName)


def test_look_alikes_of_other_scripts_are_left_alone() -> None:
    """No tokenizer takes a Cyrillic letter for a Latin one; the text is somebody's own."""
    text = "</\u0441onversation_so_far>"
    assert harmless(text) == text


@pytest.mark.parametrize("code", CODE)
def test_ordinary_text_is_untouched(code: str) -> None:
    """Comparisons, generics, indexes, HTML and pipes reach the model as they were written."""
    assert harmless(code) == code


@settings(deadline=None)
@given(HOSTILE)
@example("<think <s>>")
@example("<<s><|<s>|>")
def test_harmless_is_done_once(text: str) -> None:
    """What was made harmless is left as it is."""
    assert harmless(harmless(text)) == harmless(text)


@settings(deadline=None)
@given(HOSTILE)
def test_nothing_hostile_is_a_tag_of_ours(text: str) -> None:
    """Whatever is written, no block of ours is opened or closed by it."""
    safe = harmless(text)
    for name in BlockName:
        tail = r"[\s/\\]*>" if name is BlockName.NOW else ""
        assert not tags_in(safe, f"{name}{tail}" if tail else name)


@settings(deadline=None)
@given(HOSTILE)
def test_only_brackets_change(text: str) -> None:
    """Nothing but a bracket is ever replaced, so nothing is lost."""
    brackets = r"[<>\[\]＜＞﹤［﹇］]|&lt;|&gt;|&#91;|&#93;"
    assert re.sub(brackets, "", harmless(text)) == re.sub(brackets, "", text)


@pytest.mark.parametrize(
    "text",
    [
        "<" * 200_000,
        "<" + " " * 200_000,
        "< " * 100_000,
        "<|" + "a" * 200_000,
        "</" * 100_000,
        "<" + "/\\" * 100_000,
        "[|" * 100_000,
        "▁" + "<a▁" * 60_000,
        "]~" * 100_000,
        ">>ANSWER<" * 20_000,
    ],
)
def test_hostile_lengths_take_no_longer(text: str) -> None:
    """Patterns never go back over white space or names; a quadratic one would take minutes here."""
    assert harmless(text) == text
