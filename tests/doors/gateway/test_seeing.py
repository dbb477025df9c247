"""How a gateway is seen at work: metrics, traces and whether it is well, all without words."""

from pathlib import Path

import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from doors.gateway.answering import Broken, answering
from doors.gateway.gateways import gateway, user
from pace.doors.gateway.seeing.counted_store import CountedStore
from pace.doors.gateway.seeing.digests import Digests, new_secret
from pace.doors.gateway.seeing.logs import Log
from pace.doors.gateway.seeing.metrics import Metrics
from pace.doors.gateway.seeing.outcomes import Outcome, SeenTurn
from pace.doors.gateway.seeing.tracing import OpenTelemetryTraces
from pace.errors import StoreUnreachableError
from pace.memory.thread import ThreadMemory
from pace.memory.turn import ThreadId
from pace.relayed.asked import MemoryUse, TurnFacts
from pace.settings import LogFormat
from pace.stores.in_process import InProcessThreadMemoryStore
from stores.contract import ThreadMemoryStoreContract


async def test_metrics_of_turns(tmp_path: Path) -> None:
    """Metrics count turns by how they ended, folds, tokens sent and tokens saved."""
    words = "and what of the trains, the food and the weather on that day? " * 20
    async with (
        answering("Noted.", "Noted.", Broken()) as server,
        gateway(server.url, tmp_path, window_size=1) as served,
    ):
        for _ in range(2):
            await served.chat(user(words), thread="t")
        await served.parts.background.wait_done(ThreadId("0::t"))
        await served.chat(user(words), thread="t")
        told = (await served.client.get("/metrics")).text
    assert 'pace_turns_total{endpoint="chat.completions",outcome="answered"} 2.0' in told
    assert 'pace_turns_total{endpoint="chat.completions",outcome="failed"} 1.0' in told
    assert 'pace_folds_total{outcome="applied"} 1.0' in told
    assert "pace_turns_in_flight 0.0" in told
    assert "pace_threads_pending 0.0" in told
    assert "trains" not in told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("form", list(LogFormat))
def test_line_that_cannot_be_written_is_lost_alone(form: LogFormat) -> None:
    """A full disk, or a reader of the log who left, costs lines and no request."""
    with Path("/dev/full").open("wb", buffering=0) as full:
        log = Log(form, Digests(new_secret()), full)
        log.tell("The store does not answer.")
        log.fold("thread", "applied")
        log.fault("OSError", "here:1")


async def test_wrong_base_url(tmp_path: Path) -> None:
    """Who leaves out /v1 is told so."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        answer = await served.client.post("/chat/completions", json={"messages": []})
        elsewhere = await served.client.get("/v1/nothing")
    assert answer.status_code == elsewhere.status_code == 404
    assert "/v1" in answer.json()["error"]["message"]
    assert "openapi.json" in elsewhere.json()["error"]["message"]


async def test_well(tmp_path: Path) -> None:
    """The gateway lives while it answers, and is ready while its planner is."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        alive = await served.client.get("/healthz")
        ready = await served.client.get("/readyz")
        del server.server.handlers["/v1/models"]
        unready = await served.client.get("/readyz")
    assert alive.json() == {"status": "ok"}
    assert ready.json() == {"status": "ready", "store": True, "upstream": True}
    assert unready.status_code == 503
    assert unready.json()["upstream"] is False


async def test_unreachable_planner(tmp_path: Path) -> None:
    """A planner that is not there is a 503, which says that asking again may help."""
    async with answering() as server:
        nobody = server.url
    async with gateway(nobody, tmp_path) as served:
        answer = await served.chat(user("Hello"))
        models = await served.client.get("/v1/models")
    assert answer.status_code == models.status_code == 503
    assert answer.headers["Retry-After"]
    assert answer.json()["error"]["code"] == "planner_unreachable"


def test_spans_hold_no_words() -> None:
    """A span has the names of the conventions, counts and a digest; no words, no thread's name."""
    exporter = InMemorySpanExporter()
    traces = OpenTelemetryTraces(Digests(b"secret"), exporter)
    seen = SeenTurn("chat.completions", "key", "tiny", is_streamed=True)
    with traces.turn(seen):
        seen.composed(
            TurnFacts(memory=MemoryUse.ON, thread="secret", prompt_tokens=7), ThreadId("secret")
        )
        seen.said()
        seen.counted({"prompt_tokens": 11, "completion_tokens": 3})
        seen.outcome = Outcome.ANSWERED
    traces.close()
    (span,) = exporter.get_finished_spans()
    told = dict(span.attributes or {})
    assert span.name == "chat tiny"
    assert told["gen_ai.operation.name"] == "chat"
    assert told["gen_ai.request.model"] == "tiny"
    assert told["gen_ai.usage.input_tokens"] == 11
    assert told["gen_ai.usage.output_tokens"] == 3
    assert "secret" not in span.to_json()


def test_names_cannot_be_tried_out() -> None:
    """One secret gives one digest for a name, and whoever lacks it cannot make that digest."""
    ours, others = new_secret(), new_secret()
    assert Digests(ours).of("kettle") == Digests(ours).of("kettle")
    assert Digests(ours).of("kettle") != Digests(ours).of("kettles")
    assert Digests(ours).of("kettle") != Digests(others).of("kettle")


async def test_document_is_true(tmp_path: Path) -> None:
    """The document names every endpoint, and no page of it fetches anything from elsewhere."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        document = (await served.client.get("/openapi.json")).json()
        pages = [await served.client.get(path) for path in ("/docs", "/redoc")]
    assert set(document["paths"]) == {
        "/v1/chat/completions",
        "/v1/responses",
        "/v1/embeddings",
        "/v1/models",
        "/v1/models/{model_id}",
        "/v1/threads/{thread_id}",
        "/v1/threads/{thread_id}/reset",
        "/healthz",
        "/readyz",
        "/metrics",
    }
    assert [page.status_code for page in pages] == [404, 404]


async def test_wrong_addresses_are_told_in_the_usual_form(tmp_path: Path) -> None:
    """An unknown address and a wrong method are objects that OpenAI's clients can read."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        unknown = await served.client.get("/v1/nothing")
        method = await served.client.get("/v1/chat/completions")
    for answer, status in ((unknown, 404), (method, 405)):
        assert answer.status_code == status
        assert set(answer.json()["error"]) == {"message", "type", "param", "code"}


async def test_models(tmp_path: Path) -> None:
    """Models are the planner's, and each may be asked for without memory."""
    async with answering() as server, gateway(server.url, tmp_path) as served:
        listed = await served.client.get("/v1/models")
        one = await served.client.get("/v1/models/scripted:stateless")
        unknown = await served.client.get("/v1/models/nobody/at-all")
    assert [entry["id"] for entry in listed.json()["data"]] == ["scripted"]
    assert one.json()["id"] == "scripted:stateless"
    assert unknown.json()["error"]["code"] == "model_not_found"


class TestCountedStore(ThreadMemoryStoreContract):
    """A store that is timed keeps every promise of the one that it asks."""

    @pytest.fixture
    def store(self) -> CountedStore:
        return CountedStore(InProcessThreadMemoryStore(), Metrics(), tell=print)


async def test_store_is_timed() -> None:
    """Each request to the store is counted by its kind, and so is each that failed."""
    metrics = Metrics()
    store = CountedStore(InProcessThreadMemoryStore(), metrics, tell=print)
    await store.load(ThreadId("t"))
    async with store.turn(ThreadId("t")):
        pass
    told = metrics.text().decode()
    assert 'pace_store_seconds_count{operation="load"} 1.0' in told
    assert 'pace_store_seconds_count{operation="turn"} 1.0' in told
    assert "pace_store_errors_total{" not in told


class _Fitful(InProcessThreadMemoryStore):
    """A store that answers only while it is there."""

    is_there = False

    async def load(self, thread_id: ThreadId) -> ThreadMemory | None:
        if not self.is_there:
            raise StoreUnreachableError("no store at 127.0.0.1")
        return await super().load(thread_id)


async def test_a_lost_store_is_told_once() -> None:
    """The log says when the store is lost and when it is back, however often it was asked."""
    told: list[str] = []
    fitful = _Fitful()
    store = CountedStore(fitful, Metrics(), tell=told.append)
    for _ in range(2):
        with pytest.raises(StoreUnreachableError):
            await store.load(ThreadId("t"))
    fitful.is_there = True
    for _ in range(2):
        await store.load(ThreadId("t"))
    assert [sentence.split(".")[0] for sentence in told] == [
        "The store does not answer",
        "The store answers again",
    ]
