"""How an action asks for a person's word in the terminal."""

from rich.text import Text

from pace.doors.cli.terminal.look import DIM, WARNING
from pace.doors.cli.terminal.wrapping import wrapped
from pace.doors.safe_text import safe_line
from pace.ports import ActionRequest, Risk


def question(request: ActionRequest, width: int, dot: str) -> list[Text]:
    """What would be done, and the keys that answer."""
    ahead = "Careful: " if request.risk is Risk.HIGH else ""
    would = Text(f"{ahead}Pace would {safe_line(request.would)}.", WARNING)
    always = f" {dot} always: {request.action} asks no more" if request.may_be_always else ""
    keys = Text(f"Type y or n, then Enter{always}", DIM)
    return [*wrapped(would, width), *wrapped(keys, width)]
