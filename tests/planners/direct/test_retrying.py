"""Which failed calls are made again, when, and how often."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from pace.errors import (
    PlannerError,
    PlannerQuotaError,
    PlannerRefusedError,
    PlannerSignedOutError,
    PlannerUnreachableError,
)
from pace.planners.direct.faults import retry_after
from pace.ports import Finished, FinishReason, Notice, TextDelta
from planners.contract import complete
from planners.direct.speaking import (
    ANTHROPIC_HELLO,
    CHAT,
    MESSAGES,
    OPENAI_HELLO,
    Time,
    anthropic_fault,
    anthropic_over,
    begun,
    fault,
    in_turn,
    openai_fault,
    openai_over,
    said,
    sse,
)
from planners.prompts import prompt_of
from planners.raw_server import EVENT_STREAM, RawServer, delta, event

BUSY = fault(429, anthropic_fault("rate_limit_error"), retry_after="7")
OVERLOADED = fault(529, anthropic_fault("overloaded_error"))


async def test_a_busy_provider_is_asked_again(server: RawServer) -> None:
    """B79: Retry-After is waited out, then a jittered pause, each told to the person."""
    time = Time()
    in_turn(server, MESSAGES, BUSY, OVERLOADED, ANTHROPIC_HELLO)
    planner = anthropic_over(server, limiter=time.limiter())
    events = await complete(planner, prompt_of("Hi."))
    assert time.waits == [7.5, 1.5]
    notices = [each.sentence for each in events if isinstance(each, Notice)]
    assert [notice.split("; ")[1] for notice in notices] == [
        "trying again in 8 s.",
        "trying again in 2 s.",
    ]
    assert "".join(each.text for each in events if isinstance(each, TextDelta)) == "Hello, you."
    assert isinstance(events[-1], Finished)
    await planner.aclose()


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_a_provider_that_stays_busy_is_left_alone(server: RawServer, status: int) -> None:
    """B79: after four calls the turn fails with the status, and nothing is asked any more."""
    server.answer(CHAT, fault(status, {"error": {"message": "no", "type": "server_error"}}))
    planner = openai_over(server)
    with pytest.raises(PlannerRefusedError, match=f"HTTP {status}") as caught:
        await complete(planner, prompt_of("Hi."))
    assert caught.value.status == status
    assert len(server.requests_to(CHAT)) == 4
    await planner.aclose()


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, PlannerRefusedError),
        (401, PlannerSignedOutError),
        (402, PlannerQuotaError),
        (403, PlannerSignedOutError),
        (404, PlannerRefusedError),
        (413, PlannerRefusedError),
        (302, PlannerRefusedError),
    ],
)
async def test_what_will_not_pass_is_asked_once(
    server: RawServer, status: int, error: type[PlannerError]
) -> None:
    """B79: a wrong key, name or request costs one call; a redirect is not followed."""
    for path, planner in ((MESSAGES, anthropic_over(server)), (CHAT, openai_over(server))):
        server.answer(path, fault(status, {}, location=f"{server.url}/elsewhere"))
        with pytest.raises(error, match=f"HTTP {status}"):
            await complete(planner, prompt_of("Hi."))
        assert len(server.requests_to(path)) == 1
        await planner.aclose()
    assert not server.requests_to("/elsewhere")


async def test_a_used_up_quota_is_no_busy_provider(server: RawServer) -> None:
    """OpenAI's 429 for an empty account is said at once, as what it is."""
    body = openai_fault("You exceeded ...", code="insufficient_quota")
    server.answer(CHAT, fault(429, body, retry_after="1"))
    planner = openai_over(server)
    with pytest.raises(PlannerQuotaError, match="insufficient_quota"):
        await complete(planner, prompt_of("Hi."))
    assert len(server.requests_to(CHAT)) == 1
    await planner.aclose()


async def test_a_spend_limit_is_told_by_its_code(server: RawServer) -> None:
    """Anthropic names a spend limit in the details of another error."""
    body = anthropic_fault(
        "invalid_request_error", details={"error_code": "enforced_spend_limit_reached"}
    )
    server.answer(MESSAGES, fault(400, body))
    planner = anthropic_over(server)
    with pytest.raises(PlannerQuotaError, match="enforced_spend_limit_reached"):
        await complete(planner, prompt_of("Hi."))
    await planner.aclose()


async def test_a_wait_of_many_minutes_is_said_instead(server: RawServer) -> None:
    """Who is asked to wait longer than a minute is told how long, and asked once."""
    time = Time()
    server.answer(CHAT, fault(429, openai_fault(), retry_after="1800"))
    planner = openai_over(server, limiter=time.limiter())
    with pytest.raises(PlannerRefusedError, match="30 minutes"):
        await complete(planner, prompt_of("Hi."))
    assert len(server.requests_to(CHAT)) == 1
    assert not time.waits
    await planner.aclose()


@pytest.mark.parametrize(
    ("headers", "least"),
    [
        ({"retry_after": "12"}, 12.0),
        ({"retry_after_ms": "2500"}, 2.5),
        (
            {
                "date": "Wed, 02 Dec 2026 10:00:00 GMT",
                "retry_after": "Wed, 02 Dec 2026 10:00:20 GMT",
            },
            20.0,
        ),
        ({"retry_after": "soon"}, 0.25),
        ({"retry_after": "-5"}, 0.25),
        ({"retry_after": "nan"}, 0.25),
        ({"retry_after": "Wed, 02 Dec 2026"}, 0.25),
        ({"retry_after": "Wed, 02 Dec 2020 10:00:20 GMT"}, 0.0),
    ],
)
async def test_every_form_of_retry_after_is_kept_to(
    server: RawServer, headers: dict[str, str], least: float
) -> None:
    """Seconds, milliseconds, and a date counted from the answer's own; nonsense is no answer."""
    time = Time()
    in_turn(server, CHAT, fault(503, openai_fault(), **headers), OPENAI_HELLO)
    planner = openai_over(server, limiter=time.limiter())
    await complete(planner, prompt_of("Hi."))
    assert time.waits[0] == least + 0.5
    await planner.aclose()


async def test_all_that_use_a_key_wait_together(server: RawServer) -> None:
    """B79: what a chat's turn was told to wait, a summary by the same key waits before it asks."""
    time = Time()
    limiter = time.limiter()
    in_turn(server, MESSAGES, BUSY, ANTHROPIC_HELLO)
    server.answer(CHAT, OPENAI_HELLO)
    chat, summarizer = (anthropic_over(server, limiter=limiter) for _ in range(2))
    turn = chat.stream(prompt_of("Hi."))
    assert isinstance(await anext(turn), Notice)
    assert len(server.requests) == 1
    events = await complete(summarizer, prompt_of("Sum up.", thread="summaries"))
    assert isinstance(events[0], Notice)
    assert time.waits == [7.5]
    await turn.aclose()
    await chat.aclose()
    await summarizer.aclose()


@pytest.mark.parametrize(
    "first",
    [
        EVENT_STREAM + sse("error", error={"type": "overloaded_error", "message": "Overloaded"}),
        EVENT_STREAM + begun() + sse("ping") + sse("error", error={"type": "api_error"}),
    ],
)
async def test_an_error_before_the_first_word_is_a_busy_provider(
    server: RawServer, first: bytes
) -> None:
    """B71: an error within a 200 is asked again as its status would be."""
    in_turn(server, MESSAGES, first, ANTHROPIC_HELLO)
    planner = anthropic_over(server)
    events = await complete(planner, prompt_of("Hi."))
    assert isinstance(events[0], Notice)
    assert isinstance(events[-1], Finished)
    await planner.aclose()


async def test_an_error_after_words_is_a_failure(server: RawServer) -> None:
    """B71: the error's type is told, nothing is asked again, and the reply has no end."""
    overloaded = sse("error", error={"type": "overloaded_error", "message": "canary words"})
    server.answer(MESSAGES, EVENT_STREAM + begun() + said("Partial") + overloaded)
    late = {"choices": [], "error": {"code": 502, "message": "canary words"}}
    server.answer(CHAT, EVENT_STREAM + event(delta("Partial")) + event(late))
    for path, planner, told in (
        (MESSAGES, anthropic_over(server), "529 \\(overloaded_error\\)"),
        (CHAT, openai_over(server), "502"),
    ):
        with pytest.raises(PlannerRefusedError, match=f"HTTP {told}") as caught:
            await complete(planner, prompt_of("Hi."))
        assert "canary" not in str(caught.value)
        assert len(server.requests_to(path)) == 1
        await planner.aclose()


async def test_a_connection_that_breaks_after_words_cuts_the_reply(server: RawServer) -> None:
    """What was said stands, and is marked; it is not asked for again."""
    server.answer(MESSAGES, EVENT_STREAM + begun() + said("Partial"))
    server.answer(CHAT, EVENT_STREAM + event(delta("Partial")))
    for path, planner in ((MESSAGES, anthropic_over(server)), (CHAT, openai_over(server))):
        events = await complete(planner, prompt_of("Hi."))
        assert events[0] == TextDelta("Partial")
        assert isinstance(events[-1], Finished)
        assert events[-1].reason is FinishReason.BROKEN_OFF
        assert len(server.requests_to(path)) == 1
        await planner.aclose()


async def test_a_connection_that_is_reset_is_made_again_once(server: RawServer) -> None:
    """Without an answer two calls are made, then the person hears of it."""
    server.answer(CHAT)
    planner = openai_over(server)
    with pytest.raises(PlannerUnreachableError, match="Nothing answers") as caught:
        await complete(planner, prompt_of("Hi."))
    assert len(server.requests_to(CHAT)) == 2
    assert caught.value.__cause__ is not None
    await planner.aclose()


async def test_closing_while_waiting_makes_no_call(server: RawServer) -> None:
    """A person who gives up during a pause is not charged for a reply that nobody reads."""
    server.answer(CHAT, fault(429, openai_fault(), retry_after="30"))
    planner = openai_over(server)
    reply = planner.stream(prompt_of("Hi."))
    assert isinstance(await anext(reply), Notice)
    await reply.aclose()
    assert len(server.requests_to(CHAT)) == 1
    await planner.aclose()


async def test_a_long_error_is_read_no_further(server: RawServer) -> None:
    """A server whose error never ends is told by its status, and let go of."""
    head = b"HTTP/1.1 400 X\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
    server.hold(CHAT, head + b"x" * 100_000)
    planner = openai_over(server)
    with pytest.raises(PlannerRefusedError, match="HTTP 400"):
        await complete(planner, prompt_of("Hi."))
    await server.hung_up.wait()
    await planner.aclose()


def test_a_date_without_another_counts_from_our_own_clock() -> None:
    """An answer that does not tell its own date is believed all the same."""
    at = datetime.now(UTC) + timedelta(hours=1)
    seconds = retry_after({"retry-after": format_datetime(at, usegmt=True)})
    assert seconds is not None
    assert timedelta(minutes=50) < timedelta(seconds=seconds) <= timedelta(hours=1)
