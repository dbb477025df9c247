"""Summarizers that a good one has to beat: the newest text, and nothing at all."""

from pace.memory.prompt import clipped_to
from pace.memory.summary import Fold, SummaryUpdate
from pace.memory.tokens import estimate_tokens


class NewestText:
    """Keeps the newest of what was displaced, word for word, as much as the budget holds."""

    @property
    def name(self) -> str:
        """As it is named on the command line."""
        return "newest"

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """The end of the prior text and the pairs."""
        said = [f"The user: {p.user_text} The assistant: {p.reply_text}" for p in fold.pairs]
        words = " ".join((fold.prior.text, *said)).split()
        text = " ".join(words)
        while estimate_tokens(text) > fold.budget:
            too_many = estimate_tokens(text) - fold.budget
            words = words[max(1, too_many // 2) :]
            text = " ".join(words) or clipped_to(said[-1], fold.budget)
        return _update(fold, text, self.name)


class Nothing:
    """Keeps nothing of what was displaced; what is left is the window."""

    @property
    def name(self) -> str:
        """As it is named on the command line."""
        return "nothing"

    async def summarize(self, fold: Fold) -> SummaryUpdate:
        """A sign in the place of all that was said: an empty summary would leave it pending."""
        return _update(fold, "…", self.name)


def _update(fold: Fold, text: str, name: str) -> SummaryUpdate:
    return SummaryUpdate(
        session_id=fold.session_id,
        version=fold.version,
        covers=fold.pairs[-1].number,
        text=text,
        made_by=name,
        prefix=fold.prefix,
    )
