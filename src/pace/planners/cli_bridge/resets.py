"""When a limit ends, as far as a program says so in words that cannot be anything but a time."""

import re
from datetime import datetime
from zoneinfo import available_timezones

_LONGEST = 2000
_HEAD = re.compile(r"\b(?:resets?|try again)\b", re.IGNORECASE)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:,? 20\d\d)?"
_UNIT = r"(?:weeks?|days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|ms|s)"
_HALF = r"(?: ?[ap]\.?m\b\.?)"
_TIMES = (
    r"20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?",
    rf"\d{{1,2}}:\d\d(?::\d\d)?{_HALF}?",
    rf"\d{{1,2}}{_HALF}",
    rf"(?:\d{{1,6}}(?:\.\d{{1,3}})? ?{_UNIT} ?)*\d{{1,6}}(?:\.\d{{1,3}})? ?{_UNIT}",
    rf"{_MONTH} {_DAY}{_YEAR}",
    rf"{_DAY}\.? {_MONTH}{_YEAR}",
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|today|tomorrow|midnight|noon",
    r"UTC|GMT|[CEMP][SD]?T|CES?T|BST|IST|JST|KST|AE[SD]T",
)
_AREA = r"(?P<area>[a-z]+/[a-z_/]+)"
_PIECE = re.compile(
    r"[ ,:·]{1,3}(?:(?:at|in|on|after|and) )?"
    rf"(?:\((?:{_AREA}|UTC|GMT)\)|(?:{'|'.join(_TIMES)})(?!\w))",
    re.IGNORECASE | re.ASCII,
)


def resets_in(notice: str) -> str:
    """The words of a notice that say when a limit ends; empty if it does not."""
    text = notice[:_LONGEST]
    for head in _HEAD.finditer(text):
        end = head.end()
        while piece := _PIECE.match(text, end):
            if piece["area"] and piece["area"] not in available_timezones():
                break
            end = piece.end()
        if end > head.end():
            return text[head.start() : end].rstrip(" .")
    return ""


def resets_at(seconds: float) -> str:
    """The same for a time in seconds since 1970, in this machine's time; empty for no time."""
    try:
        when = datetime.fromtimestamp(seconds).astimezone()
    except (OverflowError, OSError, ValueError):
        return ""
    return f"resets {when:%A %H:%M}"
