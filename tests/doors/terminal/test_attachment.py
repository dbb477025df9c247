import os

import pytest

from pace.doors.cli.terminal.attachment import AttachmentError, attachment_of


def refused(written, room=1000):
    with pytest.raises(AttachmentError) as raised:
        attachment_of(str(written), room=room)
    return str(raised.value)


def test_a_text_file_is_named_and_fenced(tmp_path):
    """A file stands in the message under its name, in a fence that its own text cannot close."""
    (tmp_path / "a b.md").write_text("```py\nx\n```\n")
    file = attachment_of(f"'{tmp_path}/a b.md'", room=1000)
    assert file.block == "File a b.md:\n````\n```py\nx\n```\n````"
    assert file.tokens > 0


def test_home_is_expanded(tmp_path, monkeypatch):
    """A path may begin with ~."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "n.txt").write_text("hello")
    assert attachment_of("~/n.txt", room=100).text == "hello"


def test_what_cannot_be_added_is_said(tmp_path):
    """Folders, missing, binary, empty, special and too large files each get their sentence."""
    (tmp_path / "photo.bin").write_bytes(b"\x89PNG\x00\xff")
    (tmp_path / "nul.txt").write_bytes(b"a\x00b")
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "long.txt").write_text("many words " * 2000)
    (tmp_path / "huge.txt").write_bytes(b"x" * 2_000_001)
    os.mkfifo(tmp_path / "pipe")
    assert "is a folder" in refused(tmp_path)
    assert "There is no file" in refused(tmp_path / "none.txt")
    assert "is no text in UTF-8" in refused(tmp_path / "photo.bin")
    assert "is no text in UTF-8" in refused(tmp_path / "nul.txt")
    assert "is empty" in refused(tmp_path / "empty.txt")
    assert "there is room for 1,000" in refused(tmp_path / "long.txt")
    assert "2,000,001 bytes" in refused(tmp_path / "huge.txt")
    assert "no ordinary file" in refused(tmp_path / "pipe")
    assert "cannot be a path" in refused("a" * 5000)
