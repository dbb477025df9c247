"""How a turn of a spoken conversation stands in the terminal once it is over."""

from rich.text import Text

from pace.chat import Row, RowStatus
from pace.doors.cli.terminal.look import ACCENT, DIM, STRONG, WARNING, Look
from pace.doors.cli.terminal.markdown import Markdown
from pace.doors.cli.terminal.wrapping import wrapped
from pace.doors.safe_text import safe_line, safe_text
from pace.doors.spoken_times import times_told

_WIDEST = 88
_INDENT = "  "


def finished_lines(row: Row, *, width: int, look: Look) -> list[Text]:
    """A turn that is over: what was said, the reply, what did not sound of it, where time went."""
    width = min(width, _WIDEST)
    lines = [*said_lines(row, width=width, look=look), Text()]
    if row.status is RowStatus.FAILED:
        return [*lines, *wrapped(Text(safe_line(row.trouble), WARNING), width), Text()]
    lines += Markdown(look).lines(safe_text(row.reply_text).strip(), width)
    if row.unheard.strip():
        # It was written and did not sound: nothing remembers it.
        lines += wrapped(Text(safe_line(row.unheard), DIM), width)
    for text in row.shown:
        lines += wrapped(Text(safe_text(text), DIM), width)
    lines += [Text(remark, WARNING) for remark in _remarks(row, look.signs.dots)]
    if row.spoken is not None:
        lines += wrapped(Text(times_told(row.spoken, look.signs.dot), DIM), width)
    return [*lines, Text()]


def said_lines(row: Row, *, width: int, look: Look) -> list[Text]:
    """The person's words."""
    sign = f"{look.signs.you} "
    return [
        Text.assemble((_INDENT if number else sign, ACCENT), line)
        for number, line in enumerate(
            wrapped(Text(safe_text(row.user_text), STRONG), width - len(sign))
        )
    ]


def _remarks(row: Row, dots: str) -> list[str]:
    remarks = []
    if row.status is RowStatus.INTERRUPTED:
        remarks.append(f"{dots} stopped; what was heard is kept")
    if row.broke_off:
        remarks.append(f"{dots} the model broke off")
    elif row.cut_off:
        remarks.append(f"{dots} cut at the reply limit")
    if row.trouble:
        remarks.append(f"{dots} then it failed: {safe_line(row.trouble)}")
    return remarks
