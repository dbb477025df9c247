"""What of real talks still stands in each peer's prompt at their end, and what a model reads there.

The talks are said again turn by turn, with the replies that stand in them. Of the facts that have
left the last four turns, those count that still stand in the prompt, and those beside a word of
their subject. To read, each question is put in the place of the last words of that prompt.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fake_model import SUMMARIZER, SUMMARY_TOKENS, FakeModel, Fault
from local_model import LocalModel, ModelFailedError
from scenarios import Figures, tokens_of
from stage import WINDOW_PAIRS, Cast, staged
from wire import Said

from pace.evaluation.matching import Positions
from pace.evaluation.reading import SYSTEM
from pace.evaluation.replay import Moment
from pace.evaluation.retention import displaced
from pace.evaluation.shares import share_of
from pace.evaluation.talks import Fact, SaidTurn, Talk
from pace.memory.prompt import MESSAGE_TOKENS
from pace.memory.summary import RollingSummary
from pace.memory.tokens import estimate_tokens

_NOTHING = "…"
_LAST_WORDS = "Thank you."
_ANSWER_TOKENS = 64
# Seconds after which a summary is not waited for.
_LONGEST_FOLD = 300.0
# Turns after which work apart from them is waited for. A model on this machine takes longer for a
# summary than a person for a turn, so one summary takes in several.
_EVERY_WITH_MODEL = 4


@dataclass(slots=True)
class _Kept:
    """What one talk's end showed: of `facts`, how many stand there, and the tokens it took."""

    facts: int = 0
    stand: int = 0
    by_subject: int = 0
    tokens: int = 0
    asked: int = 0
    right: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Retaining:
    """The talks, and, if a model is to make summaries and answer, that model.

    At most `questions` are asked of each talk.
    """

    talks: Sequence[Talk]
    model: LocalModel | None = None
    questions: int = 12

    async def measure(self, cast: Cast) -> Figures:
        """As one scenario. Without a model, a peer that asks for a summary needs one.

        Raises ModelFailedError if the model did, since its faults are no peer's.
        """
        if self.model is not None:
            self.model.trouble = ""
        if why := cast.cannot("memory"):
            return {"cannot": why}
        if self.model is None and (why := cast.cannot("no model")):
            return {"cannot": why}
        kept = []
        for talk in self.talks:
            one = await self._talk(cast, talk)
            if one is None:
                return {"cannot": "it needs a model"}
            kept.append(one)
        figures: Figures = {
            "talks": len(kept),
            "facts": sum(one.facts for one in kept),
            "stand": _share([(one.stand, one.facts) for one in kept]),
            "by subject": _share([(one.by_subject, one.facts) for one in kept]),
            "tokens": round(sum(one.tokens for one in kept) / len(kept)),
            "failed": sum(one.failed for one in kept),
        }
        if self.model is not None:
            figures["questions"] = sum(one.asked for one in kept)
            figures["right"] = _share([(one.right, one.asked) for one in kept])
        return figures

    async def _talk(self, cast: Cast, talk: Talk) -> _Kept | None:
        fake = FakeModel(fault=None if self.model else Fault.RAISES)
        if self.model is not None:
            fake.summarizes = self._summary
        kept = _Kept()
        async with staged(
            cast.peer,
            cast.python,
            fake,
            system=SYSTEM,
            pair_tokens=_pair_tokens(talk.turns),
            no_model=self.model is None,
        ) as stage:
            for number, turn in enumerate(talk.turns, start=1):
                fake.reply = turn.assistant.strip() or _NOTHING
                answer = await stage.player.turn("a", turn.user.strip() or _NOTHING)
                kept.failed += answer.error is not None
                if self.model is None or number % _EVERY_WITH_MODEL == 0:
                    await stage.player.settle(_LONGEST_FOLD)
            await stage.player.settle(_LONGEST_FOLD)
            if self.model is None and fake.asked(SUMMARIZER):
                return None
            await stage.player.turn("a", _LAST_WORDS)
            if self.model is not None and self.model.trouble:
                raise ModelFailedError(self.model.trouble)
            prompt = fake.prompt_of(_LAST_WORDS)
        if prompt is None:
            return kept
        shown = prompt.messages[:-1]
        context = Positions("\n".join(f"{said.role}: {said.text}" for said in shown))
        gone = _gone(talk)
        kept.facts = len(gone)
        kept.stand = sum(map(context.hold, gone))
        kept.by_subject = sum(map(context.hold_by_subject, gone))
        kept.tokens = tokens_of(prompt)
        if self.model is not None:
            await self._read(self.model, shown, gone, kept)
        return kept

    async def _summary(self, messages: tuple[Said, ...]) -> str:
        if self.model is None:
            return ""
        return await self.model.answer(messages, reply_tokens=SUMMARY_TOKENS)

    async def _read(
        self, model: LocalModel, shown: tuple[Said, ...], gone: Sequence[Fact], kept: _Kept
    ) -> None:
        able = [fact for fact in gone if fact.question]
        step = max(1.0, len(able) / self.questions)
        for fact in (able[int(at * step)] for at in range(min(len(able), self.questions))):
            asked = (*shown, Said("user", fact.question))
            answer = await model.answer(asked, reply_tokens=_ANSWER_TOKENS)
            kept.asked += 1
            kept.right += Positions(answer).hold(fact)


def _share(by_talk: Sequence[tuple[int, int]]) -> dict[str, float]:
    share = share_of(by_talk)
    return {"value": share.value, "low": share.low, "high": share.high}


def _gone(talk: Talk) -> list[Fact]:
    """The facts that have left the last four turns: the same for every peer."""
    last = len(talk.turns) - 1
    end = Moment(
        turn=last,
        context="",
        summary=RollingSummary(),
        window_from=max(0, last + 1 - WINDOW_PAIRS),
        prompt_tokens=0,
        history_tokens=0,
    )
    return [talk.facts[at] for at in displaced(talk, end)]


def _pair_tokens(turns: Sequence[SaidTurn]) -> int:
    texts = [text for turn in turns for text in (turn.user, turn.assistant)]
    return sum(estimate_tokens(text) + MESSAGE_TOKENS for text in texts) // len(turns)
