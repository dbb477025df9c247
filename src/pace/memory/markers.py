"""Makes words harmless: nothing in them can be taken for a marker of ours or of a chat template."""

import re
import unicodedata
from enum import StrEnum

from pace.memory.turn import is_invisible


class BlockName(StrEnum):
    """The blocks that are ours alone; a tag of theirs in anybody's words is made harmless."""

    CONVERSATION_SO_FAR = "conversation_so_far"
    ABOUT_THE_PERSON = "about_the_person"
    LASTING_FACTS = "lasting_facts"
    RECALLED_TURNS = "recalled_turns"
    ACTION_RESULTS = "action_results"
    NOW = "now"
    EARLIER_SUMMARY = "earlier_summary"
    SAID_BY_USER = "said_by_user"
    SAID_BY_PACE = "said_by_pace"


# Control markers of the chat templates in use, from the published tokenizer configurations of their
# families. Between bars: ChatML, Llama 3, Phi, Qwen, SmolLM and (with full-width bars) DeepSeek. A
# bar on one side alone (Gemma) counts without spaces only: with them it is an operator in code.
_WORD = r"[\w▁/.:-]{1,64}+"
_BARRED = rf"\|\s*+{_WORD}\s*+\|\s*+>|\|{_WORD}>|{_WORD}\|>"
# Sentence marks of Llama 2, Mistral, Cohere and Seed, turns of Gemma and InternLM, reasoning,
# tools, code files. A name with DeepSeek's own kind of underscore is nothing else, whatever it is.
_NAMES = (
    "s|bos|eos|pad|unk|mask|cls|sep|sop|eop|im_start|im_end|endoftext|start_of_turn|end_of_turn"
    "|(?:bos|eos|pad|unk|mask|cls|sep|sop|eop)_token|boh|eoh|boa|eoa|end_of_utterance"
    "|start_of_image|end_of_image|image_soft_token|think|thinking|reasoning"
    "|tool_calls?|tool_responses?|tools|repo_name|reponame|file_sep|filename|gh_stars"
    "|issue_start|issue_comment|issue_closed|jupyter_start|jupyter_text|jupyter_code"
    "|jupyter_output|jupyter_script|empty_output|fim_prefix|fim_middle|fim_suffix|fim_pad"
    r"|unused\d{1,6}|reserved_\w{1,64}|extra_id_\d{1,6}|special_\d{1,6}|seed:\w{1,64}"
    r"|\w{1,64}+▁[\w▁]{1,64}+"
)
# Llama 2 and Mistral, GLM, InternLM. In upper case only: in lower case these are ordinary names in
# code.
_BRACKETED = (
    "INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK|IMG|IMG_BREAK"
    "|IMG_END|PREFIX|MIDDLE|SUFFIX|CALL_ID|ARGS|MODEL_SETTINGS|gMASK|sMASK"
    r"|UNUSED_TOKEN_\d{1,6}"
)
# Falcon's, between double signs that point at the word.
_POINTED_AT = (
    "TITLE|ABSTRACT|INTRODUCTION|SUMMARY|COMMENT|ANSWER|QUESTION|DOMAIN|PREFIX|SUFFIX|MIDDLE"
)
# Our own blocks. A tag need not be closed to be one; only "now" does, since code compares with it.
_OURS = "|".join(name for name in BlockName if "_" in name)
_SHORT_OURS = "|".join(name for name in BlockName if "_" not in name)
# What no marker goes on with is passed over first: in a row of signs, each would try them all.
_MARKER = re.compile(
    rf"<(?=\s*+[\w▁|/\\.:-])(?=\s*+(?i:{_BARRED}|/?+\s*+(?:{_NAMES})\s*+/?+\s*+>"
    rf"|[/\\\s]*+(?:(?:{_OURS})_*+\b|{_SHORT_OURS}_*+[/\\\s]*+>)))"
    r"|<<(?=\s*+/?+\s*+(?i:SYS)\s*+>>)"
    rf"|\[(?=\s*+/?+\s*+(?:{_BRACKETED})\s*+\]|\s*+\|\s*+{_WORD}\s*+\|\s*+\]|e~\[)"
    # The other signs of MiniMax, and Falcon's.
    r"|\](?=~b\]|~!b\[)"
    rf"|>(?=>(?:{_POINTED_AT})<<)"
)
_ESCAPES = {"<": "&lt;", "[": "&#91;", "]": "&#93;", ">": "&gt;"}


def harmless(text: str) -> str:
    """A text that holds no marker of ours or of a chat template, and can still be read.

    A marker is also one in other letter case, with spaces or zero-width characters inside, or in
    compatibility forms such as full-width letters: some tokenizers fold all of these. Look-alikes
    of other scripts are not; no tokenizer takes them for a marker.
    """
    if text.isascii():
        if "<" not in text and "[" not in text and "]~" not in text:
            return text
        return _MARKER.sub(_escaped, text)
    if not _OPENING.search(text):
        return text
    folded, places = _folded(text)
    pieces: list[str] = []
    start = 0
    for found in _MARKER.finditer(folded):
        for at in range(*found.span()):
            pieces += (text[start : places[at]], _ESCAPES[folded[at]])
            start = places[at] + 1
    return "".join(pieces) + text[start:]


# All that compatibility folding makes one of "<", "[" and "]"; a marker that begins with ">" holds
# a "<".
_OPENING = re.compile(r"[<\[\]＜﹤［﹇］﹈]")


def _escaped(found: re.Match[str]) -> str:
    return "".join(_ESCAPES[char] for char in found[0])


def _folded(text: str) -> tuple[str, list[int]]:
    """A text as the most lenient tokenizer reads it, and where each of its characters stood."""
    chars: list[str] = []
    places: list[int] = []
    for at, char in enumerate(text):
        if not char.isascii() and is_invisible(char):
            continue
        folded = char if char.isascii() else unicodedata.normalize("NFKC", char)
        chars += folded
        places += [at] * len(folded)
    return "".join(chars), places
