"""Anthropic's way of writing a prompt and a reply, as plain values."""

import json
from collections.abc import Mapping, Sequence

from httpx_sse import ServerSentEvent

from pace.errors import EmptyReplyError, PlannerRefusedError, PlannerUnreachableError
from pace.memory.markers import BlockName
from pace.memory.prompt import Message, ReplyForm, Role
from pace.planners.answers import mapping, parsed, whole
from pace.planners.direct.faults import FaultError, fault_of_answer
from pace.planners.direct.strict import OpenSchemaError, strict_schema
from pace.planners.spoken import SpokenWords
from pace.ports import Finished, FinishReason, PlannerEvent

_BLOCK = f"<{BlockName.CONVERSATION_SO_FAR}>\n"
_MARK = {"type": "ephemeral"}
# `stop_reason` of a reply that ended at a limit, its own or the context's.
_CUT = frozenset({"max_tokens", "model_context_window_exceeded"})
_THINKING = frozenset({"thinking", "redacted_thinking"})


def system_blocks(messages: Sequence[Message], *, marked: bool) -> list[dict[str, object]]:
    """The system message in text blocks that join to its very content.

    The first ends before the block of what is older than the window, and is marked as the prefix
    to keep cached; what changes stands in the second.
    """
    if not messages or messages[0].role is not Role.SYSTEM:
        return []
    text = messages[0].content
    # A person's or a model's words cannot hold this marker: they are made harmless.
    at = text.find(_BLOCK)
    head, block = (text, "") if at < 0 else (text[:at], text[at:])
    blocks = [_text(head, marked=marked)] if head else []
    return [*blocks, _text(block, marked=False)] if block else blocks


def turn_messages(messages: Sequence[Message], *, marked: bool) -> list[dict[str, object]]:
    """The messages but the system's; the end of the window is a prefix to keep cached, too."""
    turns = [message for message in messages if message.role is not Role.SYSTEM]
    last_of_window = len(turns) - 2 if marked else -1
    return [
        {
            "role": message.role.value,
            "content": [_text(message.content, marked=True)]
            if index == last_of_window
            else message.content,
        }
        for index, message in enumerate(turns)
    ]


def output_config(form: ReplyForm) -> dict[str, object] | None:
    """What holds a reply to the form; None for one that the API cannot hold it to."""
    try:
        schema = strict_schema(json.loads(form.schema), all_required=False)
    except OpenSchemaError:
        return None
    return {"format": {"type": "json_schema", "schema": schema}}


def _text(text: str, *, marked: bool) -> dict[str, object]:
    block: dict[str, object] = {"type": "text", "text": text}
    return {**block, "cache_control": _MARK} if marked else block


class AnthropicReader:
    """Turns the events of one message into ours; it takes at most `longest` characters."""

    def __init__(self, host: str, *, longest: int) -> None:
        self._host = host
        self._room = longest
        self._words = SpokenWords()
        self._stop: str | None = None
        self._usage: dict[str, object] = {}
        self._model: str | None = None
        self.is_over = False

    @property
    def has_words(self) -> bool:
        """Whether anything was said that a person may see."""
        return self._words.has_words

    @property
    def is_complete(self) -> bool:
        """Whether the provider said why the reply ended."""
        return self._stop is not None

    @property
    def was_cut(self) -> bool:
        """Whether the reply ended at its limit."""
        return self._stop in _CUT or self._room <= 0

    def take(self, event: ServerSentEvent) -> list[PlannerEvent]:
        """Our events for one of theirs; raises FaultError for an error that it tells of."""
        data = mapping(parsed(event.data))
        kind = data.get("type") or event.event
        if kind == "error" or "error" in data:
            raise FaultError(fault_of_answer(None, data, {}))
        self._room -= 1  # an event without words counts, too, so that no stream is endless
        events: list[PlannerEvent] = []
        if kind == "message_start":
            self._begin(mapping(data.get("message")))
        elif kind == "content_block_start":
            events = self._begin_block(mapping(data.get("content_block")))
        elif kind == "content_block_delta":
            events = self._take_delta(mapping(data.get("delta")))
        elif kind == "message_delta":
            if isinstance(stop := mapping(data.get("delta")).get("stop_reason"), str):
                self._stop = stop
            self._usage |= _given(data.get("usage"))
        self.is_over = kind == "message_stop" or self._room <= 0
        return events

    def finish(self) -> list[PlannerEvent]:
        """What was held, then Finished; raises PlannerError for a reply without words."""
        events = self._words.finish()
        if not self.has_words:
            if self._stop == "refusal":
                raise PlannerRefusedError("The model declined to answer this. Say it otherwise.")
            if self._words.has_reasoned:
                raise EmptyReplyError(
                    "The model only reasoned and gave no reply. Ask again, or allow longer replies."
                )
            if not self.is_complete:
                raise PlannerUnreachableError(f"{self._host} broke off without a reply.")
            raise EmptyReplyError
        reason = FinishReason.STOP if self.is_complete else FinishReason.BROKEN_OFF
        return [
            *events,
            Finished(
                reason=FinishReason.LENGTH if self.was_cut else reason,
                prompt_tokens=self._prompt_tokens(),
                cached_tokens=_count(self._usage.get("cache_read_input_tokens")),
                reply_tokens=_count(self._usage.get("output_tokens")) if self._stop else None,
                model=self._model,
            ),
        ]

    def _begin(self, message: Mapping[str, object]) -> None:
        self._usage |= _given(message.get("usage"))
        if isinstance(model := message.get("model"), str) and model:
            self._model = whole(model)

    def _begin_block(self, block: Mapping[str, object]) -> list[PlannerEvent]:
        if block.get("type") in _THINKING:
            return self._think(block.get("thinking"))
        return self._say(block.get("text"))

    def _take_delta(self, delta: Mapping[str, object]) -> list[PlannerEvent]:
        if delta.get("type") == "thinking_delta":
            return self._think(delta.get("thinking"))
        return self._say(delta.get("text"))

    def _think(self, text: object) -> list[PlannerEvent]:
        return self._words.think(self._taken(text))

    def _say(self, text: object) -> list[PlannerEvent]:
        return self._words.say(self._taken(text))

    def _taken(self, text: object) -> str:
        if not isinstance(text, str):
            return ""
        taken = text[: max(0, self._room)]
        self._room -= len(text)
        return taken

    def _prompt_tokens(self) -> int | None:
        """What was read and what was cached already are counted apart."""
        names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        counts = [count for name in names if (count := _count(self._usage.get(name))) is not None]
        return sum(counts) if counts else None


def _given(usage: object) -> dict[str, object]:
    return {name: value for name, value in mapping(usage).items() if value is not None}


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
