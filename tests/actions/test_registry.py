"""The registry: one order, each name once."""

import pytest

from pace.actions.clipboard.read_clipboard import ReadClipboard
from pace.actions.clipboard.system import SystemClipboard
from pace.actions.clipboard.write_clipboard import WriteClipboard
from pace.actions.registry import Registry
from pace.errors import ActionRefusedError, SettingsError

READ, WRITE = ReadClipboard(SystemClipboard()), WriteClipboard(SystemClipboard())


def test_what_is_added_comes_last() -> None:
    """Actions stand in the order in which they were added, and are found by their names."""
    registry = Registry([READ])
    registry.add(WRITE)
    assert registry.offered() == (READ, WRITE)
    assert registry.named("write_clipboard") is WRITE
    assert registry.named("none") is None


def test_a_name_is_given_once() -> None:
    """A second action of a name is refused, and the first one stays."""
    registry = Registry([READ])
    with pytest.raises(SettingsError, match="Two actions are called read_clipboard"):
        registry.add(ReadClipboard(SystemClipboard()))
    assert registry.offered() == (READ,)


def test_what_is_removed_is_offered_no_more() -> None:
    """Removing an action, once or twice, leaves the others in their order."""
    registry = Registry([READ, WRITE])
    registry.remove("read_clipboard")
    registry.remove("read_clipboard")
    assert registry.offered() == (WRITE,)


def test_a_text_with_a_null_is_refused() -> None:
    """What no clipboard can hold is refused before anybody is asked."""
    with pytest.raises(ActionRefusedError, match="null character"):
        WRITE.checked({"text": "a\0b"})
