"""How a reply is to be made; asked at each turn, so that a change applies at the next one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyOptions:
    """`temperature` None leaves it to the server; `reply_tokens` is the most a reply may have."""

    temperature: float | None = 0.4
    reply_tokens: int = 1024

    def standard_fields(self) -> dict[str, object]:
        """The fields of the usual wire, which every server knows."""
        fields: dict[str, object] = {"max_tokens": self.reply_tokens}
        if self.temperature is not None:
            fields["temperature"] = self.temperature
        return fields
