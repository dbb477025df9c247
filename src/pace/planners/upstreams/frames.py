"""Takes a stream of server-sent events apart, byte by byte, as it comes; knows no transport.

A library does the same for one person's turns (`planners/answers.py`). Here its five nested
generators for each event would cost more than all else that is done with it (ADR 0015).
"""

_MARK = b"\xef\xbb\xbf"

Frame = tuple[bytes, bytes]
"""One event: its name, blank for a message, and its data with one line end between lines."""


class Frames:
    """The events of one stream. Lines end as the format allows: CR, LF or both.

    What has no data is no event. The last one counts also without its blank line, since a server
    that has said all may close at once.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._has_begun = False
        self._ends_in_cr = False
        self._name = b""
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> list[Frame]:
        """The events that a piece completes."""
        text = self._begun(self._rest + piece)
        if self._ends_in_cr and text.startswith(b"\n"):
            text = text[1:]
        if text:
            self._ends_in_cr = False
        if b"\r" in text:
            # A CR at the end was one line end; an LF that comes next belongs to it.
            self._ends_in_cr = text.endswith(b"\r")
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        lines = text.split(b"\n")
        self._rest = lines.pop()
        return self._taken(lines)

    def finish(self) -> list[Frame]:
        """The event that was still open."""
        lines, self._rest = [self._rest, b""], b""
        return self._taken(lines)

    @property
    def held(self) -> int:
        """How many bytes of an event that is not complete are held."""
        return len(self._rest) + sum(map(len, self._data))

    def _begun(self, text: bytes) -> bytes:
        """What follows a byte order mark, if the stream begins with one."""
        if self._has_begun or not text:
            return text
        if len(text) < len(_MARK) and _MARK.startswith(text):
            return text
        self._has_begun = True
        return text.removeprefix(_MARK)

    def _taken(self, lines: list[bytes]) -> list[Frame]:
        frames = []
        for line in lines:
            if line:
                self._take(line)
                continue
            if self._data:
                frames.append((self._name, b"\n".join(self._data)))
                self._data = []
            self._name = b""
        return frames

    def _take(self, line: bytes) -> None:
        if line.startswith(b"data: "):
            self._data.append(line[6:])
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
        elif name == b"event":
            self._name = value.removeprefix(b" ")
