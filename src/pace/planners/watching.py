"""Watches what a server's replies show of it: a prompt that was cut, another model that answers."""

from collections.abc import Sequence

from pace.memory.prompt import Prompt
from pace.memory.tokens import estimate_tokens
from pace.planners.cut_prompts import is_cut, least_tokens
from pace.planners.model_names import is_same_model, shown_name
from pace.planners.server_facts import ANY_MODEL, ASSUMED_CONTEXT, ServerFacts, ServerKind
from pace.ports import SUMMARIES, Finished, Notice

# No model in use has a smaller context; less that was read is no measure of one.
_SMALLEST_CONTEXT = 1024
_RAISE = {
    ServerKind.OLLAMA: "Start Ollama with OLLAMA_CONTEXT_LENGTH={tokens} or more",
    ServerKind.LM_STUDIO: "Load the model with a context length of {tokens} or more",
    ServerKind.LLAMA_CPP: "Start the server with --ctx-size {tokens} or more",
}
_RAISE_ANY = "Raise the context of the server to {tokens} tokens or more"


class ReplyWatch:
    """What the replies of one server have shown so far."""

    def __init__(self) -> None:
        self._most_read = 0
        self._claimed = 0
        self._lowered: int | None = None
        self._told_models: set[str] = set()

    def believed(self, claimed: int) -> int:
        """A context that a server claims, or less, if it cut a prompt while it claimed the same."""
        if self._lowered is None or claimed != self._claimed:
            return claimed
        return min(claimed, self._lowered)

    def notices(
        self,
        prompt: Prompt,
        facts: ServerFacts,
        finished: Finished,
        *,
        reply_tokens: int,
        least: int | None = None,
    ) -> Sequence[Notice]:
        """What to tell the person of this reply; another model once.

        `least` is what the prompt takes by the server's own tokenizer, if that is known.
        """
        cut = self._cut(prompt, facts, finished.prompt_tokens or 0, reply_tokens, least)
        if prompt.thread_id == SUMMARIES:
            return ()  # nobody reads along
        return tuple(Notice(told) for told in (cut, self._other(facts.model, finished)) if told)

    def _cut(
        self,
        prompt: Prompt,
        facts: ServerFacts,
        read: int,
        reply_tokens: int,
        least: int | None,
    ) -> str:
        texts = [message.content for message in prompt.messages]
        most, self._most_read = self._most_read, max(self._most_read, read)
        if not is_cut(read, least_tokens(texts) if least is None else least):
            return ""
        if facts.kind is ServerKind.OTHER and read < most:
            return ""  # it may count only what it had not read before
        self._claimed = facts.context_tokens or ASSUMED_CONTEXT
        self._lowered = max(_SMALLEST_CONTEXT, self._most_read)
        sent = sum(map(estimate_tokens, texts)) if least is None else least
        enough = ASSUMED_CONTEXT
        while enough < sent + reply_tokens:
            enough *= 2
        advice = _RAISE.get(facts.kind, _RAISE_ANY).format(tokens=enough)
        return (
            f"The server read only {read:,} of about {sent:,} tokens: it cut the prompt, and the "
            f"reply may miss what was said earlier. {advice}; until then Pace sends less."
        )

    def _other(self, asked: str, finished: Finished) -> str:
        model = finished.model
        if model is None or asked == ANY_MODEL or is_same_model(asked, model):
            return ""
        if model in self._told_models:
            return ""
        self._told_models.add(model)
        other, wanted = shown_name(model), shown_name(asked)
        return (
            f"{other} answered, and not {wanted}: that is what the server has loaded. Load "
            f"{wanted} there, or choose the other one with: pace settings planner.model NAME"
        )
