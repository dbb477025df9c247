"""The usual wire's way of writing a prompt and a reply, as plain values."""

import json

from httpx_sse import ServerSentEvent

from pace.errors import EmptyReplyError, PlannerRefusedError
from pace.memory.prompt import ReplyForm
from pace.planners.answers import mapping, parsed, tells_error
from pace.planners.chat_stream import ReplyReader, first_choice
from pace.planners.direct.faults import FaultError, fault_of_answer
from pace.planners.direct.strict import OpenSchemaError, strict_schema
from pace.ports import PlannerEvent


def response_format(form: ReplyForm) -> dict[str, object]:
    """What holds a reply to the form; for one that cannot be held to strictly, as far as can be."""
    schema, is_strict = json.loads(form.schema), True
    try:
        schema = strict_schema(schema, all_required=True)
    except OpenSchemaError:
        is_strict = False
    named = {"name": "reply", "strict": is_strict, "schema": schema}
    return {"type": "json_schema", "json_schema": named}


class OpenAiReader:
    """Turns the chunks of one reply into events; it takes at most `longest` characters."""

    def __init__(self, host: str, *, longest: int) -> None:
        self._reader = ReplyReader(host, longest=longest)
        self._reason: object = None
        self._declined = False

    @property
    def is_complete(self) -> bool:
        """Whether the provider said why the reply ended."""
        return self._reader.is_complete

    @property
    def is_over(self) -> bool:
        """Whether nothing of use can follow."""
        return self._reader.is_counted or self._reader.is_full

    @property
    def has_words(self) -> bool:
        """Whether anything was said that a person may see."""
        return self._reader.has_words

    @property
    def was_cut(self) -> bool:
        """Whether the reply ended at its limit."""
        return self._reason == "length" or self._reader.is_full

    def take(self, event: ServerSentEvent) -> list[PlannerEvent]:
        """Our events for one chunk; raises FaultError for an error that it tells of."""
        chunk = mapping(parsed(event.data))
        if tells_error(chunk) or event.event == "error":
            raise FaultError(fault_of_answer(None, chunk, {}))
        if not event.data:
            return []
        choice = first_choice(chunk)
        self._reason = choice.get("finish_reason") or self._reason
        said = mapping(choice.get("delta")) or mapping(choice.get("message"))
        self._declined |= bool(said.get("refusal")) or self._reason == "content_filter"
        return self._reader.take(event.data)

    def finish(self) -> list[PlannerEvent]:
        """What was held, then Finished; raises PlannerError for a reply without words."""
        try:
            return self._reader.finish()
        except EmptyReplyError as error:
            if self._declined:
                raise PlannerRefusedError(
                    "The model declined to answer this. Say it otherwise."
                ) from error
            raise
