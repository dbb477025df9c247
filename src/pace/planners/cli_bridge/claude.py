"""Claude Code (`claude`), checked against version 2.1.197.

Its command line, fields and variables are from its `--help` and from what it sends to a server on
loopback. It sets a date and a line on itself before our words; our contents stay as they are.
"""

import json
import sys
from collections.abc import Mapping, Sequence

from pace.errors import PlannerError
from pace.memory.prompt import Message
from pace.planners.answers import mapping
from pace.planners.cli_bridge.diagnosis import Said
from pace.planners.cli_bridge.faults import Faults
from pace.planners.cli_bridge.program import PIPE
from pace.planners.cli_bridge.resets import resets_at, resets_in
from pace.planners.cli_bridge.room import Room
from pace.planners.cli_bridge.transcript import FIXED_INSTRUCTION, as_one_text, split_system
from pace.planners.cli_bridge.vendor import Facts, Reader, Spoken, Told, count, text_of
from pace.ports import FinishReason, PlannerEvent, TextDelta, Thinking

_FAULTS = Faults(
    name="claude",
    company="Anthropic",
    install="npm install -g @anthropic-ai/claude-code",
    sign_in="claude auth login",
)
_HAS_PIPES = sys.platform != "win32"
# What the program itself says in place of a model, such as that a limit is reached.
_NO_MODEL = "<synthetic>"
_SIGNED_OUT_WORDS = {"authentication_failed", "oauth_org_not_allowed"}
_QUOTA_WORDS = {"rate_limit", "billing_error"}


class Claude:
    """Text goes in as one JSON line, and the system text by a pipe of its own."""

    facts = Facts(
        faults=_FAULTS,
        host="claude (Anthropic)",
        context_tokens=160_000,
        keys=frozenset({"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"}),
        passed=frozenset(
            {
                *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
                *("CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"),
            }
        ),
        elsewhere=frozenset(
            {
                *("ANTHROPIC_BASE_URL", "CLAUDE_CODE_USE_BEDROCK"),
                *("CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_VERTEX"),
            }
        ),
        settings={
            # Or "@name" in the person's words would add a file to them.
            "CLAUDE_CODE_DISABLE_ATTACHMENTS": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_SAFE_MODE": "1",
            "CLAUDE_CODE_SKIP_PROMPT_HISTORY": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
    )

    def arguments(self, room: Room, *, model: str | None) -> Sequence[str]:  # noqa: ARG002
        """No tools, settings, servers or skills, and no session that is kept."""
        system = (
            ("--system-prompt-file", PIPE) if _HAS_PIPES else ("--system-prompt", FIXED_INSTRUCTION)
        )
        return (
            *("-p", "--verbose", "--input-format", "stream-json"),
            *("--output-format", "stream-json", "--include-partial-messages"),
            *("--tools", "", "--strict-mcp-config", "--setting-sources", ""),
            *("--disable-slash-commands", "--no-session-persistence"),
            *system,
            *(("--model", model) if model else ()),
        )

    def environment(self, room: Room) -> Mapping[str, str]:  # noqa: ARG002
        """Nothing."""
        return {}

    def spoken(self, messages: Sequence[Message]) -> Spoken:
        """All but the system message as one text, which cannot begin as a command of its."""
        system, others = split_system(messages) if _HAS_PIPES else ("", messages)
        text = as_one_text(others)
        line = {"type": "user", "message": {"role": "user", "content": text}}
        pipe = (system or FIXED_INSTRUCTION) if _HAS_PIPES else None
        return Spoken(standard_input=json.dumps(line) + "\n", pipe=pipe)

    def reader(self, said: Said) -> Reader:
        """A reader of its stream."""
        return _Reader(said)


class _Reader:
    def __init__(self, said: Said) -> None:
        self._said = said
        self.told = Told()
        self._has_streamed = False
        self._fault: PlannerError | None = None
        self._resets = ""

    def take(self, event: Mapping[str, object]) -> Sequence[PlannerEvent]:
        """Partial messages, or whole ones where no partial ones come; the result ends it."""
        kind = event.get("type")
        if kind == "stream_event" and event.get("parent_tool_use_id") is None:
            return self._partial(mapping(event.get("event")))
        if kind == "assistant" and event.get("parent_tool_use_id") is None:
            return self._whole(event)
        if kind == "system" and event.get("subtype") == "api_retry":
            self.told.is_troubled = True
        elif kind == "rate_limit_event":
            info = mapping(event.get("rate_limit_info"))
            if isinstance(seconds := info.get("resetsAt"), int | float):
                self._resets = resets_at(seconds)
        elif kind == "result":
            return self._result(event)
        return ()

    def _partial(self, event: Mapping[str, object]) -> Sequence[PlannerEvent]:
        self.told.is_troubled = False
        kind = event.get("type")
        if kind == "message_start":
            self.told.model = text_of(mapping(event.get("message")).get("model")) or None
        if kind == "content_block_start" and _is_tool(mapping(event.get("content_block"))):
            raise _FAULTS.used_a_tool()
        if kind != "content_block_delta":
            return ()
        delta = mapping(event.get("delta"))
        if delta.get("type") == "thinking_delta":
            return (Thinking(text_of(delta.get("thinking"))),)
        if delta.get("type") == "text_delta" and (text := text_of(delta.get("text"))):
            self._has_streamed = True
            return (TextDelta(text),)
        return ()

    def _whole(self, event: Mapping[str, object]) -> Sequence[PlannerEvent]:
        message = mapping(event.get("message"))
        content = message.get("content")
        blocks = [mapping(block) for block in content] if isinstance(content, list) else []
        texts = [text for block in blocks if (text := text_of(block.get("text")))]
        word = event.get("error")
        if message.get("model") == _NO_MODEL or word:
            self._fault = self._fault_of(text_of(word), "\n".join(texts))
            return ()
        if any(map(_is_tool, blocks)):
            raise _FAULTS.used_a_tool()
        self.told.model = text_of(message.get("model")) or self.told.model
        if self._has_streamed:
            return ()
        return [TextDelta(text) for text in texts]

    def _result(self, event: Mapping[str, object]) -> Sequence[PlannerEvent]:
        notice = text_of(event.get("result"))
        if self._fault is not None:
            raise self._fault
        if event.get("is_error") or event.get("subtype") != "success":
            status = count(event.get("api_error_status"))
            if status is None:
                raise _FAULTS.by_notice([self._said.without_passages(notice)], _FAULTS.refused())
            raise _FAULTS.by_status(status, self._resets or notice)
        usage = mapping(event.get("usage"))
        cached = usage.get("cache_read_input_tokens")
        self.told.prompt_tokens = count(
            usage.get("input_tokens"), cached, usage.get("cache_creation_input_tokens")
        )
        self.told.cached_tokens = count(cached)
        self.told.reply_tokens = count(usage.get("output_tokens"))
        is_cut = event.get("stop_reason") == "max_tokens"
        self.told.reason = FinishReason.LENGTH if is_cut else FinishReason.STOP
        return ()

    def _fault_of(self, word: str, notice: str) -> PlannerError:
        if word in _SIGNED_OUT_WORDS:
            return _FAULTS.signed_out()
        if word in _QUOTA_WORDS:
            return _FAULTS.quota(resets_in(notice) or self._resets)
        return _FAULTS.by_notice([self._said.without_passages(notice)], _FAULTS.refused())


def _is_tool(block: Mapping[str, object]) -> bool:
    return text_of(block.get("type")).endswith("tool_use")
