"""What Apple's model means by its errors, in words for a person."""

from pace.errors import (
    PlannerError,
    PlannerQuotaError,
    PlannerRefusedError,
    PlannerUnavailableError,
)

# By the SDK's names. Its own texts are shown to nobody: they may quote what was asked.
_TOO_LONG = "ExceededContextWindowSizeError"
# The last is what comes of a form that the SDK cannot even read.
_NO_SUCH_FORM = frozenset(
    {"UnsupportedGuideError", "InvalidGenerationSchemaError", "GenerationError"}
)
_ELSE = "or choose another tier: pace tier"
_REFUSALS = {
    "GuardrailViolationError": (
        f"Apple's model did not answer: its safety rules stopped it. Say it in other words, {_ELSE}"
    ),
    "RefusalError": f"Apple's model refused to answer. Say it in other words, {_ELSE}",
    "UnsupportedLanguageOrLocaleError": (
        f"Apple's model does not know this language. Use another one, {_ELSE}"
    ),
    "DecodingFailureError": (f"Apple's model gave a reply that cannot be read. Ask again, {_ELSE}"),
    "ConcurrentRequestsError": "Apple's model is busy with another request. Ask again in a moment.",
}


def is_too_long(error: Exception) -> bool:
    """Whether prompt and reply went beyond the context."""
    return type(error).__name__ == _TOO_LONG


def is_no_such_form(error: Exception) -> bool:
    """Whether the model may have no use for the form that was asked for."""
    return type(error).__name__ in _NO_SUCH_FORM


def planner_error(error: Exception, *, context_tokens: int) -> PlannerError:
    """Ours for one of the SDK's."""
    name = type(error).__name__
    if is_too_long(error):
        return PlannerRefusedError(
            f"This is too long for the context of Apple's model, {context_tokens:,} tokens. "
            f"Say less at once, {_ELSE}"
        )
    if name == "AssetsUnavailableError":
        return PlannerUnavailableError(
            "Parts of Apple's model are missing; macOS may be fetching them. "
            "Ask again in some minutes."
        )
    if name == "RateLimitedError":
        return PlannerQuotaError("macOS limits how often Apple's model is asked. Ask again later.")
    known = _REFUSALS.get(name)
    return PlannerRefusedError(known or f"Apple's model failed ({name}). Ask again, {_ELSE}")
