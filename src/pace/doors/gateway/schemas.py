"""The forms of what is asked and answered here, for the OpenAPI document and for our own answers.

What OpenAI's form has beyond these fields is passed on as it is, so that its forms stay open.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

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


class TextPart(_Open):
    """Words, or a refusal of them."""

    type: Literal["text"]
    text: str


class OtherPart(_Open):
    """A picture, a sound, a file: passed on while its turn is."""

    type: Literal["image_url", "input_audio", "file"]


class Instruction(_Open):
    """What the planner is told."""

    role: Literal["system", "developer"]
    content: str | list[TextPart]


class Words(_Open):
    """What a person says."""

    role: Literal["user"]
    content: str | list[TextPart | OtherPart]


class Answer(_Open):
    """What the planner said, and the tools that it called."""

    role: Literal["assistant"]
    content: str | list[TextPart] | None = None


class ToolAnswer(_Open):
    """What a tool gave."""

    role: Literal["tool"]
    tool_call_id: str
    content: str | list[TextPart]


ChatMessage = Instruction | Words | Answer | ToolAnswer


class ChatRequest(_Open):
    """A chat completion; all other fields go on to the planner as they are."""

    model: str = ""
    messages: list[ChatMessage] = Field(min_length=1)
    stream: bool | None = None
    stream_options: dict[str, Any] | None = None
    user: str | None = Field(None, max_length=512)
    metadata: dict[str, Any] | None = None


class ChatCompletion(_Open):
    """The planner's answer."""


class InputText(_Open):
    """Words."""

    type: Literal["input_text", "output_text"]
    text: str


class InputMessage(_Open):
    """What was said, by whom."""

    type: Literal["message"] = "message"
    role: Literal["user", "assistant", "system", "developer"]
    content: str | list[InputText]


class FunctionCall(_Open):
    """A function that was called."""

    type: Literal["function_call"]
    call_id: str
    name: str
    arguments: str


class FunctionOutput(_Open):
    """What it gave."""

    type: Literal["function_call_output"]
    call_id: str
    output: str | list[InputText]


ResponseItem = InputMessage | FunctionCall | FunctionOutput


class FunctionTool(_Open):
    """A function that may be called."""

    type: Literal["function"]
    name: str
    parameters: dict[str, Any] | None = None


class ResponsesRequest(_Open):
    """A response; what is not known here is not passed on."""

    model: str = ""
    input: str | Annotated[list[ResponseItem], Field(min_length=1)]
    instructions: str | None = None
    previous_response_id: str | None = None
    stream: bool | None = None
    store: bool | None = None
    tools: list[FunctionTool] | None = None
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
