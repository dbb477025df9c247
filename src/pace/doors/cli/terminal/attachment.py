"""Text files that go with the next message: found, checked and counted before they are promised."""

from dataclasses import dataclass
from pathlib import Path

from pace.errors import PaceError
from pace.memory.tokens import estimate_tokens

# No context in use takes more; reading stops there.
_LARGEST = 2_000_000
_LONGEST_FENCE = 12
_SHOWN = 80


class AttachmentError(PaceError):
    """A file that cannot be part of a message."""

    kind = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A text file as it was when it was added; `tokens` are estimated."""

    name: str
    text: str
    tokens: int

    @property
    def block(self) -> str:
        """The file as part of a message."""
        fence = "```"
        while fence in self.text and len(fence) < _LONGEST_FENCE:
            fence += "`"
        return f"File {self.name}:\n{fence}\n{self.text.rstrip()}\n{fence}"


def attachment_of(written: str, *, room: int) -> Attachment:
    """The file at a path as a person writes it, `~` and quotes included.

    `room` is how many tokens the message may have. Raises AttachmentError.
    """
    path = _path_of(written)
    data = _read(path)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise AttachmentError(f"{path.name} is no text in UTF-8. Only text files can be added.")
    if not text.strip():
        raise AttachmentError(f"{path.name} is empty. There is nothing to add.")
    tokens = estimate_tokens(text)
    if tokens > room:
        raise AttachmentError(
            f"{path.name} is too large: about {tokens:,} tokens, and there is room for {room:,}. "
            "Add a part of it, or use a model with a larger context."
        )
    return Attachment(name=path.name, text=text, tokens=tokens)


def _path_of(written: str) -> Path:
    quote = written[:1]
    if len(written) > 1 and quote in {"'", '"'} and written.endswith(quote):
        written = written[1:-1]
    try:
        path = Path(written).expanduser()
        if path.is_dir():
            raise AttachmentError(f"{written} is a folder. Name one file in it.")
        if not path.exists() and (spaced := Path(written.replace("\\ ", " "))).exists():
            path = spaced
        if not path.exists():
            raise AttachmentError(f"There is no file {written[:_SHOWN]}. Check its path.")
        if not path.is_file():
            raise AttachmentError(f"{written} is no ordinary file. Only text files can be added.")
    except (OSError, RuntimeError, ValueError) as error:
        raise AttachmentError(f"{written[:_SHOWN]} cannot be a path. Check it.") from error
    return path


def _read(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            raise AttachmentError(
                f"{path.name} is too large: {size:,} bytes, and {_LARGEST:,} are the most. "
                "Add a part of it."
            )
        return path.read_bytes()
    except OSError as error:
        raise AttachmentError(f"{path.name} cannot be read ({error.strerror}).") from error
