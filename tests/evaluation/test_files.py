"""A file is read whole if it is one, and not too large."""

import os
import threading
from pathlib import Path

import pytest

from pace.errors import TalksError
from pace.evaluation.files import LARGEST
from pace.evaluation.loading import load_talks

TALK = '[{"role": "user", "content": "Hi."}]'


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    """The error names them."""
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(TalksError, match="cannot be read") as raised:
            load_talks(path)
        assert str(path) in str(raised.value)


def test_what_never_ends_is_refused() -> None:
    """A device is no file, and is not read."""
    with pytest.raises(TalksError, match=r"^/dev/zero cannot be read: it is no file\."):
        load_talks(Path("/dev/zero"))


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    """It is not read into memory beyond that."""
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(TalksError, match="too large to be read at once"):
        load_talks(path)


def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    """So that what another program writes can be given as a file."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(TALK,))
    writer.start()
    assert load_talks(path).talks[0].turns[0].user == "Hi."
    writer.join()


def test_a_name_that_is_no_utf_8_can_be_written_down(tmp_path: Path) -> None:
    """The note goes into JSON and pages, which carry no half of a character."""
    path = tmp_path / "bad\udcff"
    path.write_text(TALK)
    load_talks(path).note.encode()
