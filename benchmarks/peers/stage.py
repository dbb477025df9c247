"""One peer set up for one scenario: its driver at work, and a fake model of its own to speak to."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import planted
from environments import PeerFolder
from fake_model import PLANNER, SUMMARY_TOKENS, FakeModel, Request, serving
from player import Answer, Player, playing

from pace.memory.prompt import MESSAGE_TOKENS
from pace.memory.tokens import estimate_tokens

WINDOW_PAIRS = 4
SYSTEM = "You are a helpful assistant in a long conversation; answer briefly and plainly."
# What four pairs of `planted` take, frames included: the trigger for those that count tokens.
_SIXTY = range(60)
PAIR_TOKENS = sum(
    estimate_tokens(text) + MESSAGE_TOKENS
    for number in _SIXTY
    for text in (planted.words(number), planted.reply(number))
) // len(_SIXTY)


@dataclass(frozen=True, slots=True)
class Stage:
    """A peer at work."""

    model: FakeModel
    player: Player

    async def say(self, number: int, thread: str = "a") -> Answer:
        """Turn `number`, with its planted word, answered by its reply."""
        self.model.reply = planted.reply(number)
        return await self.player.turn(thread, planted.words(number))

    def prompt(self, number: int) -> Request | None:
        """What the planner was shown for turn `number`."""
        return self.model.prompt_of(planted.code(number))

    def last_prompt(self) -> str:
        """What the planner was shown last, as a text."""
        prompts = self.model.asked(PLANNER)
        return prompts[-1].text if prompts else ""


@dataclass(frozen=True, slots=True)
class Cast:
    """A peer and the Python that it runs in, with what it says of itself."""

    peer: PeerFolder
    python: str
    describes: Mapping[str, object]

    def cannot(self, what: str) -> str:
        """Why the peer has no way to do something; empty if it does not say so."""
        told = self.describes.get("cannot")
        return str(told.get(what, "")) if isinstance(told, Mapping) else ""


@asynccontextmanager
async def staged(
    peer: PeerFolder,
    python: str,
    model: FakeModel,
    *,
    system: str = SYSTEM,
    pair_tokens: int = PAIR_TOKENS,
    no_model: bool = False,
) -> AsyncIterator[Stage]:
    """Start a peer's driver over this model; it and its files are gone afterwards."""
    async with serving(model) as address:
        settings = {
            "PEER_BASE_URL": address,
            "PEER_API_KEY": "none",
            "PEER_SYSTEM": system,
            "PEER_SUMMARY_TOKENS": str(SUMMARY_TOKENS),
            "PEER_WINDOW_PAIRS": str(WINDOW_PAIRS),
            "PEER_MAX_TOKENS": str(WINDOW_PAIRS * pair_tokens),
            **({"PEER_NO_MODEL": "1"} if no_model else {}),
        }
        with TemporaryDirectory(prefix="pace-") as folder:
            command = [python, str(peer.driver)]
            async with playing(command, settings, Path(folder)) as player:
                yield Stage(model, player)
