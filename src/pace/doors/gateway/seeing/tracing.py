"""Traces by OpenTelemetry, with its conventions for generative AI; they hold no content.

Where they go is said in the environment, as OpenTelemetry does everywhere
(OTEL_EXPORTER_OTLP_ENDPOINT and the like).
"""

from collections.abc import Iterator
from contextlib import contextmanager

from pace.doors.gateway.seeing.digests import Digests
from pace.doors.gateway.seeing.outcomes import Outcome, SeenTurn
from pace.errors import MissingExtraError

try:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
    from opentelemetry.trace import SpanKind, Status, StatusCode
except ModuleNotFoundError as missing:
    raise MissingExtraError("Traces", "telemetry") from missing


class OpenTelemetryTraces:
    """Sends a span for each request. `aclose` sends what is left, and may wait for that."""

    def __init__(self, digests: Digests, exporter: SpanExporter | None = None) -> None:
        self._digests = digests
        self._provider = TracerProvider(resource=Resource.create({"service.name": "pace"}))
        self._provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter()))
        self._tracer = self._provider.get_tracer("pace.gateway")

    @contextmanager
    def turn(self, seen: SeenTurn) -> Iterator[None]:
        """Follow one request; names and values are those of the semantic conventions."""
        operation = "embeddings" if seen.endpoint == "embeddings" else "chat"
        with self._tracer.start_as_current_span(
            f"{operation} {seen.model}".strip(),
            kind=SpanKind.SERVER,
            record_exception=False,  # its text could hold words
            set_status_on_exception=False,
        ) as span:
            span.set_attribute("gen_ai.operation.name", operation)
            if seen.model:
                span.set_attribute("gen_ai.request.model", seen.model)
            try:
                yield
            finally:
                counts = {
                    "gen_ai.usage.input_tokens": seen.prompt_tokens,
                    "gen_ai.usage.output_tokens": seen.reply_tokens,
                    "gen_ai.server.time_to_first_token": seen.first_word_seconds,
                }
                if (facts := seen.facts) is not None:
                    counts["pace.prompt_tokens"] = facts.prompt_tokens
                    counts["pace.tokens_saved"] = facts.tokens_saved
                    counts["pace.summary_version"] = facts.summary_version
                    counts["pace.window_pairs"] = facts.window_pairs
                if seen.thread_id is not None:
                    span.set_attribute("gen_ai.conversation.id", self._digests.of(seen.thread_id))
                for name, count in counts.items():
                    if count is not None:
                        span.set_attribute(name, count)
                span.set_attribute("pace.outcome", seen.outcome)
                if seen.outcome is Outcome.FAILED:
                    span.set_attribute("error.type", seen.fault)
                    span.set_status(Status(StatusCode.ERROR))

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()
