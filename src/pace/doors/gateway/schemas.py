"""The forms of what is asked and answered here, for the OpenAPI document and for our own answers.

What OpenAI's form has beyond these fields is passed on as it is, so that its forms stay open.
"""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Own(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Pair(_Own):
    """What a person said, and the reply."""

    turn: str
    number: int
    user: str
    reply: str
    interrupted: bool


class Summary(_Own):
    """The rolling summary; `covers` is the number of the last pair that it covers."""

    version: int
    covers: int
    made_by: str
    text: str


class ThreadLook(_Own):
    """What a thread holds.

    `histories` are the summaries of the histories that a client brought, each with the pairs in
    `histories_pending` that wait to be folded into it.
    """

    object: Literal["thread.memory"] = "thread.memory"
    id: str
    session: str
    expires_at: datetime
    turns: int
    summary: Summary
    pending: list[Pair]
    window: list[Pair]
    histories: list[Summary]
    histories_pending: list[list[Pair]]


class Reset(_Own):
    """A thread has forgotten."""

    object: Literal["thread.reset"] = "thread.reset"
    id: str
    reset: Literal[True] = True


class FaultDetail(_Open):
    """What went wrong."""

    message: str
    type: str
    param: str | None = None
    code: str | int | None = None


class FaultBody(_Own):
    """A failed request."""

    error: FaultDetail


class Health(_Own):
    """The process lives."""

    status: Literal["ok"] = "ok"


class Readiness(_Own):
    """Whether requests can be answered, and whether with memory."""

    status: Literal["ready", "not ready"]
    store: bool
    upstream: bool


class ChatRequest(_Open):
    """A chat completion; all other fields go on to the planner as they are."""

    model: str = ""
    messages: list[dict[str, Any]] = Field(min_length=1)
    stream: bool | None = None
    stream_options: dict[str, Any] | None = None
    user: str | None = Field(None, max_length=512)
    metadata: dict[str, Any] | None = None


class ChatCompletion(_Open):
    """The planner's answer."""


class ResponsesRequest(_Open):
    """A response; what is not known here is not passed on."""

    model: str = ""
    input: str | list[dict[str, Any]]
    instructions: str | None = None
    previous_response_id: str | None = None
    stream: bool | None = None
    store: bool | None = None
    tools: list[dict[str, Any]] | None = None
    max_output_tokens: int | None = Field(None, ge=1)
    metadata: dict[str, Any] | None = None


class ResponseObject(_Open):
    """The planner's answer, in the form of the Responses API."""

    id: str
    object: Literal["response"]
    status: str
    output: list[dict[str, Any]]


class EmbeddingsRequest(_Open):
    """Texts to embed; passed on as it is."""

    model: str = ""
    input: Any


class Embeddings(_Open):
    """The planner's answer."""


class ModelEntry(_Open):
    """A model that can be asked for."""

    id: str
    object: Literal["model"] = "model"


class ModelList(_Own):
    """The models that can be asked for."""

    object: Literal["list"] = "list"
    data: list[ModelEntry]
