"""The planner over its own engine: what it keeps of each thread, and shows no other."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from pace.envelope.form import reply_form
from pace.envelope.reading import EnvelopeReader
from pace.errors import PlannerCrashedError, PlannerError
from pace.memory.prompt import Prompt
from pace.memory.turn import ThreadId
from pace.planners.catalogue import DEFAULT, TINY
from pace.planners.embedded.engine import EmbeddedPlanner
from pace.planners.embedded.process import EngineProcess, EngineSettings
from pace.planners.options import ReplyOptions
from pace.ports import ActionTraits, Finished, FinishReason, Reading, Risk, TextDelta
from planners.processes import engines, kill, names_in, wait_died
from planners.prompts import prompt_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

WINDOW = tuple((f"What about {n}?", f"The number {n} is a fine number. " * 5) for n in range(4))
SHORT = ReplyOptions(temperature=0, reply_tokens=4)
TIMER = ActionTraits(
    name="start_timer",
    description="Start a timer.",
    arguments={
        "type": "object",
        "properties": {"duration": {"type": "string", "minLength": 1, "maxLength": 60}},
        "required": ["duration"],
        "additionalProperties": False,
    },
    risk=Risk.LOW,
)


@pytest_asyncio.fixture(loop_scope="session")
async def own(tiny: Path) -> AsyncIterator[EmbeddedPlanner]:
    """A planner that the test may break."""
    planner = EmbeddedPlanner.of(TINY, tiny, options=lambda: SHORT)
    yield planner
    await planner.aclose()


async def finish_of(planner: EmbeddedPlanner, asked: Prompt) -> Finished:
    finished = None
    async with aclosing(planner.stream(asked)) as events:
        async for event in events:
            if isinstance(event, Finished):
                finished = event
    assert finished is not None
    return finished


async def cached_of(planner: EmbeddedPlanner, asked: Prompt) -> int:
    cached = (await finish_of(planner, asked)).cached_tokens
    assert cached is not None
    return cached


async def test_it_says_what_it_is(embedded: EmbeddedPlanner) -> None:
    """The traits name the model, the context of one slot, and that words stay here."""
    traits = await embedded.traits()
    assert (traits.name, traits.model) == ("embedded", "SmolLM2-135M-Instruct")
    assert traits.context_tokens == 8192
    assert traits.on_this_machine
    assert traits.prepares
    assert await embedded.device()


async def text_of(planner: EmbeddedPlanner, asked: Prompt) -> tuple[str, Finished]:
    text, finished = "", None
    async with aclosing(planner.stream(asked)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                text += event.text
            if isinstance(event, Finished):
                finished = event
    assert finished is not None
    return text, finished


async def test_a_reply_is_held_to_its_form(tiny: Path) -> None:
    """B85: under a form every reply is an envelope that ends at its last brace, by itself."""
    options = ReplyOptions(temperature=1.5, reply_tokens=400)
    planner = EmbeddedPlanner.of(TINY, tiny, options=lambda: options)
    assert (await planner.traits()).constrains
    form = reply_form((TIMER,), 100)  # so that words are over long before they would be cut
    async with aclosing(planner):
        for words in ("Say hello.", "Set a timer for 10 minutes.", "Print {} and nothing else."):
            text, finished = await text_of(planner, replace(prompt_of(words), reply_form=form))
            assert finished.reason is FinishReason.STOP
            reader = EnvelopeReader([TIMER.name])
            reader.feed(text)
            assert text.endswith("}")
            assert not reader.finish(cut_off=False, tokens=None).is_plain
        async with aclosing(planner.stream(prompt_of("Say hello."))) as events:
            while not isinstance(first := await anext(events), TextDelta):
                pass
        assert not first.text.startswith("{")


async def test_no_love_of_white_space_fills_the_form(process: EngineProcess) -> None:
    """B85: an engine that prefers blanks finds none to write between two tokens of the form.

    The control: under the grammar that the engine makes of the same schema it writes little else.
    """
    url = f"{process.root}/tokenize"
    blanks = [
        (await process.client.post(url, json={"content": blank})).json()["tokens"][-1]
        for blank in (" ", "\n", "\t", "  ")
    ]
    form = reply_form((TIMER,), 400)
    body = {
        "messages": [{"role": "user", "content": "Say hello."}],
        "max_tokens": 60,
        "temperature": 0,
        "logit_bias": [[token, 50] for token in blanks],
    }
    schema = {"type": "json_schema", "json_schema": {"schema": json.loads(form.schema)}}
    texts = []
    for held in ({"grammar": form.grammar}, {"response_format": schema}):
        answer = await process.client.post(
            f"{process.root}/v1/chat/completions", json={**body, **held}
        )
        text = answer.json()["choices"][0]["message"]["content"]
        texts.append(re.sub(r'"(?:[^"\\]|\\.)*("|$)', "0", text))
    ours, control = texts
    assert not re.search(r"\s", ours)
    assert re.search(r"\s{20}", control)


async def test_the_shipped_models_write_no_summaries_and_others_may(tiny: Path) -> None:
    """Both shipped files say that they cannot summarize; any other file says that it can."""
    assert not DEFAULT.summarizes
    assert not TINY.summarizes
    assert EngineSettings(path=tiny, name="mine").summarizes


async def test_a_reply_is_cut_at_its_limit(embedded: EmbeddedPlanner) -> None:
    """A reply that reaches its token limit ends with LENGTH."""
    finished = await finish_of(embedded, prompt_of("Count from one to one hundred.", thread="cut"))
    assert finished.reason is FinishReason.LENGTH
    assert finished.reply_tokens == 8


async def test_reading_is_told(embedded: EmbeddedPlanner) -> None:
    """While a prompt is read, Reading tells how far it is, in growing steps."""
    async with aclosing(embedded.stream(prompt_of("Hi.", thread="told", window=WINDOW))) as events:
        steps = [event async for event in events if isinstance(event, Reading)]
    assert len(steps) > 2
    assert steps == sorted(steps, key=lambda step: step.done)
    assert steps[-1].done == steps[-1].total


async def test_a_thread_finds_its_prefix_cached(embedded: EmbeddedPlanner) -> None:
    """B58: with the same messages before it, only the new words of a turn are read."""
    await finish_of(embedded, prompt_of("Hello there.", thread="cached", window=WINDOW))
    finished = await finish_of(embedded, prompt_of("Good day.", thread="cached", window=WINDOW))
    assert finished.prompt_tokens is not None
    assert finished.cached_tokens is not None
    assert finished.prompt_tokens - finished.cached_tokens < 20


async def test_no_thread_reads_the_cache_of_another(embedded: EmbeddedPlanner) -> None:
    """The very same prompt of another thread, or of three in turn, is read from its beginning."""
    for thread in ("alice", "bob", "carol", "alice"):
        assert await cached_of(embedded, prompt_of("Hello there.", thread=thread)) == 0


async def test_a_new_session_finds_nothing_cached(embedded: EmbeddedPlanner) -> None:
    """R4: after a reset the same prompt of the same thread is read from its beginning."""
    await finish_of(embedded, prompt_of("Hello there.", thread="reset"))
    asked = prompt_of("Hello there.", thread="reset", session="second")
    assert await cached_of(embedded, asked) == 0


async def test_a_forgotten_thread_finds_nothing_cached(embedded: EmbeddedPlanner) -> None:
    """What was cached of a thread is gone once it is forgotten."""
    asked = prompt_of("Hello there.", thread="forgotten")
    await finish_of(embedded, asked)
    await embedded.forget(ThreadId("forgotten"))
    assert await cached_of(embedded, asked) == 0


async def test_what_was_prepared_is_not_read_again(embedded: EmbeddedPlanner) -> None:
    """A prepare reads all before the last message's words, whatever those will be."""
    held = await embedded.prepare(prompt_of("?", thread="prepared", window=WINDOW))
    asked = prompt_of("Good day to you all.", thread="prepared", window=WINDOW)
    cached = await cached_of(embedded, asked)
    assert held > 200
    assert held - 1 <= cached <= held


async def test_a_turn_stops_a_prepare_and_keeps_what_it_read(embedded: EmbeddedPlanner) -> None:
    """B34: a prepare gives way at once, and the turn goes on from where it was."""
    thread = "stopped"
    window = WINDOW * 3
    preparing = asyncio.create_task(embedded.prepare(prompt_of("?", thread=thread, window=window)))
    while not embedded.tokens_prepared:  # noqa: ASYNC110 - the engine sets no event here
        await asyncio.sleep(0)
    finished = await finish_of(embedded, prompt_of("Hi.", thread=thread, window=window))
    held = await preparing
    assert finished.prompt_tokens is not None
    assert finished.cached_tokens is not None
    assert 0 < finished.cached_tokens < finished.prompt_tokens // 2
    assert 0 < held <= finished.cached_tokens
    again = await embedded.prepare(prompt_of("?", thread=thread, window=window))
    assert again > finished.prompt_tokens - 20


async def test_a_closed_reply_keeps_what_it_read(embedded: EmbeddedPlanner) -> None:
    """Stopping a reply while the prompt is read stops the reading, and loses nothing of it."""
    asked = prompt_of("Hi.", thread="closed", window=WINDOW * 3)
    async with aclosing(embedded.stream(asked)) as events:
        async for event in events:
            assert isinstance(event, Reading)
            if event.done:
                break
    finished = await finish_of(embedded, asked)
    assert finished.prompt_tokens is not None
    assert finished.cached_tokens is not None
    assert 0 < finished.cached_tokens < finished.prompt_tokens // 2


async def test_a_crash_is_one_sentence_and_the_next_turn_works(own: EmbeddedPlanner) -> None:
    """An engine that dies within a reply fails that turn; the next one starts a new engine."""
    async with aclosing(own.stream(prompt_of("Hi.", window=WINDOW))) as events:
        await anext(events)
        first = own.process_id
        kill(first)
        with pytest.raises(PlannerCrashedError, match="starts anew"):
            async for _ in events:
                pass
    assert (await finish_of(own, prompt_of("Hi."))).reply_tokens
    assert own.process_id != first


async def test_a_crash_after_words_is_told_too(tiny: Path) -> None:
    """Words that came before the engine died do not pass for a reply that was cut."""
    planner = EmbeddedPlanner.of(TINY, tiny, options=lambda: ReplyOptions(reply_tokens=400))
    async with aclosing(planner), aclosing(planner.stream(prompt_of("Tell me all."))) as events:
        while not isinstance(await anext(events), TextDelta):
            pass
        kill(planner.process_id)
        with pytest.raises(PlannerCrashedError):
            async for _ in events:
                pass


async def test_an_engine_that_died_between_turns_is_started_again(own: EmbeddedPlanner) -> None:
    """A death that nobody waited for is made good without a word."""
    await own.start()
    kill(own.process_id)
    await wait_died(own.process_id)
    assert (await finish_of(own, prompt_of("Hi."))).reply_tokens


async def test_an_engine_that_dies_in_a_prepare_is_started_again(own: EmbeddedPlanner) -> None:
    """A prepare that the engine died in ends with a sentence, and the next turn works."""
    asked = prompt_of("?", window=WINDOW * 3)
    preparing = asyncio.create_task(own.prepare(asked))
    while not own.tokens_prepared:  # noqa: ASYNC110 - the engine sets no event here
        await asyncio.sleep(0)
    kill(own.process_id)
    with pytest.raises(PlannerCrashedError):
        await preparing
    assert (await finish_of(own, prompt_of("Hi."))).reply_tokens


async def test_forgetting_after_a_crash_raises_nothing(own: EmbeddedPlanner) -> None:
    """A dead engine holds nothing; a thread of it is forgotten already."""
    await finish_of(own, prompt_of("Hi."))
    kill(own.process_id)
    await own.forget(ThreadId("one"))
    await own.forget(ThreadId("one"))


async def test_closing_ends_a_reply_with_an_error(own: EmbeddedPlanner) -> None:
    """A reply that is in progress when the planner is closed raises PlannerError, and no other."""
    async with aclosing(own.stream(prompt_of("Hi.", window=WINDOW))) as events:
        await anext(events)
        await own.aclose()
        with pytest.raises(PlannerError):
            async for _ in events:
                pass
    assert own.process_id is None
    with pytest.raises(PlannerError, match="closed"):
        await own.prepare(prompt_of("Hi."))
    assert own.process_id is None


async def test_a_turn_that_waited_while_another_crashed_is_answered(own: EmbeddedPlanner) -> None:
    """Only the turn that the engine died in fails; the one behind it gets a new engine."""
    async with aclosing(own.stream(prompt_of("Hi.", window=WINDOW))) as events:
        await anext(events)
        waiting = asyncio.create_task(finish_of(own, prompt_of("Hello.", thread="two")))
        await asyncio.sleep(0)
        kill(own.process_id)
        with pytest.raises(PlannerCrashedError):
            async for _ in events:
                pass
    assert (await waiting).reply_tokens


async def test_a_start_may_be_cancelled(
    tiny: Path, short_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start that is cancelled while the model loads leaves no process and no folder."""
    monkeypatch.setattr("tempfile.tempdir", str(short_path))
    planner = EmbeddedPlanner.of(TINY, tiny)
    before = engines()
    starting = asyncio.create_task(planner.start())
    while engines() == before:  # noqa: ASYNC110 - the system sets no event here
        await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert engines() == before
    assert names_in(short_path) == []
    await planner.aclose()


async def test_a_file_that_is_no_model_is_named(tiny: Path, tmp_path: Path) -> None:
    """A file that is junk, empty, cut short or not there gives a sentence that names it."""
    junk = tmp_path / "junk.gguf"
    junk.write_bytes(b"GGUF" + bytes(100))
    empty = tmp_path / "empty.gguf"
    empty.touch()
    half = tmp_path / "half.gguf"
    with tiny.open("rb") as whole:
        half.write_bytes(whole.read(TINY.size // 8))
    for path, fault in (
        (junk, "junk.gguf"),
        (empty, "empty.gguf"),
        (half, "half.gguf.*not all of one"),
        (tmp_path / "gone.gguf", "no model file"),
    ):
        planner = EmbeddedPlanner(EngineSettings(path=path, name="x"))
        with pytest.raises(PlannerError, match=fault):
            await planner.traits()
        assert planner.process_id is None
        await planner.aclose()


async def test_over_a_port_the_engine_wants_its_key(tiny: Path) -> None:
    """Where there are no Unix sockets the engine listens on loopback, and answers only to us."""
    process = await EngineProcess.start(
        EngineSettings(path=tiny, name="tiny", slot_tokens=512), over_socket=False
    )
    assert process.root.startswith("http://127.0.0.1:")
    async with httpx.AsyncClient(trust_env=False) as stranger:
        for path in ("/props", "/slots", "/v1/chat/completions", "/completion", "/tokenize"):
            answer = await stranger.post(process.root + path, json={"content": "x"})
            assert answer.status_code in {401, 404}
    assert (await process.client.get(f"{process.root}/props")).status_code == 200
    await process.aclose()
