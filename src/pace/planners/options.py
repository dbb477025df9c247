"""How a reply is to be made; asked at each turn, so that a change applies at the next one."""

from dataclasses import dataclass

# A token is four characters or so in most languages, and rarely more than ten.
_CHARACTERS_A_TOKEN = 16
# Reasoning counts, too, and not every server counts it among the reply's tokens.
_ENOUGH_CHARACTERS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyOptions:
    """`temperature` None leaves it to the server; `reply_tokens` is the most a reply may have."""

    temperature: float | None = 0.4
    reply_tokens: int = 1024

    @property
    def longest_reply(self) -> int:
        """The most characters to take from a server, reasoning included, whatever it was told."""
        return max(_ENOUGH_CHARACTERS, _CHARACTERS_A_TOKEN * self.reply_tokens)

    def standard_fields(self) -> dict[str, object]:
        """The fields of the usual wire, which every server knows."""
        fields: dict[str, object] = {"max_tokens": self.reply_tokens}
        if self.temperature is not None:
            fields["temperature"] = self.temperature
        return fields
