"""What it costs to recognise a client's history and set its prompt, without any network.

python benchmarks/relaying.py
"""

import asyncio
import statistics
import time

from pace.memory.limits import ThreadLimits
from pace.relayed.asked import Asked
from pace.wiring import assemble_relay

LENGTHS = (4, 12, 40, 300)
ROUNDS = 200


def history(turns: int) -> list[dict[str, str]]:
    messages = [{"role": "system", "content": "You are a helpful assistant. " * 10}]
    for number in range(1, turns + 1):
        messages += [
            {
                "role": "user",
                "content": f"Booking KX-{turns}-{number} is for Bergen on day {number}, and I "
                "would like a window seat near the front of the train, if there is one left.",
            },
            {
                "role": "assistant",
                "content": f"I have noted booking KX-{turns}-{number}: a window seat in front. "
                f"The train leaves at {number % 24}:15 and arrives in the evening.",
            },
        ]
    return [*messages, {"role": "user", "content": "What was my first booking?"}]


async def main() -> None:
    parts = assemble_relay(limits=ThreadLimits())
    work = asyncio.create_task(parts.relay.run())
    print("turns  first sight ms  again ms  record ms  prompt tokens  saved")
    for turns in LENGTHS:
        messages = history(turns)
        began = time.perf_counter()
        async with parts.relay.turn(Asked(), {"messages": messages}) as turn:
            first = time.perf_counter() - began
            turn.hear("KX-1.")
            await turn.record()
        again, records = [], []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            async with parts.relay.turn(Asked(), {"messages": messages}) as turn:
                again.append(time.perf_counter() - began)
                turn.hear("KX-1.")
                began = time.perf_counter()
                await turn.record()
                records.append(time.perf_counter() - began)
            await asyncio.sleep(0)
        print(
            f"{turns:5}  {first * 1e3:14.2f}  {statistics.median(again) * 1e3:8.3f}"
            f"  {statistics.median(records) * 1e3:9.3f}  {turn.facts.prompt_tokens:13}"
            f"  {turn.facts.tokens_saved:5}"
        )
    work.cancel()
    await asyncio.wait([work])


if __name__ == "__main__":
    asyncio.run(main())
