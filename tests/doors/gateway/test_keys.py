"""The file of keys, and what a running gateway makes of it."""

import stat
import sys
from pathlib import Path

import pytest

from pace.doors.gateway.keys import KeyFile, KeyRing
from pace.errors import SettingsError


class Seconds:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def file(tmp_path: Path) -> KeyFile:
    return KeyFile(tmp_path / "data" / "keys.json")


def test_key_is_not_in_the_file(file: KeyFile) -> None:
    """A key is shown once; the file holds a hash of it."""
    kept, key = file.add("laptop", made_on="2026-12-02")
    assert key.startswith("pace-")
    assert key not in file.path.read_text()
    assert file.kept() == (kept,)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_file_is_private(file: KeyFile) -> None:
    """Only its owner may read the file of keys."""
    file.add("laptop", made_on="today")
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


def test_ring_notices_what_comes_and_goes(file: KeyFile) -> None:
    """A running gateway takes a new key, and no revoked one, within a second."""
    seconds = Seconds()
    ring = KeyRing(file, seconds=seconds)
    kept, key = file.add("laptop", made_on="today")
    seconds.now += 1
    assert ring.id_of(key) == kept.id
    file.revoke(kept.id)
    seconds.now += 1
    assert ring.id_of(key) is None


def test_ring_keeps_what_it_knew_of_a_broken_file(file: KeyFile) -> None:
    """While the file cannot be read, the keys that were known let in."""
    seconds = Seconds()
    kept, key = file.add("laptop", made_on="today")
    ring = KeyRing(file, seconds=seconds)
    file.path.write_text("{")
    seconds.now += 1
    assert ring.id_of(key) == kept.id


def test_unknown_keys(file: KeyFile) -> None:
    """Nothing but a key lets in: no other text, no hash of a key, no id."""
    kept, _ = file.add("laptop", made_on="today")
    ring = KeyRing(file)
    for text in ("", "pace-", kept.sha256, kept.id, "pace-" + "x" * 43, "\udcff"):
        assert ring.id_of(text) is None


def test_faults_are_sentences(file: KeyFile) -> None:
    """A broken file, an unknown id and a name that cannot be are refused in words."""
    with pytest.raises(SettingsError, match="pace keys list"):
        file.revoke("nobody")
    for name in ("", " ", "x" * 101, "a\nb"):
        with pytest.raises(SettingsError, match="name"):
            file.add(name, made_on="today")
    file.path.write_text('{"keys": [{"id": "x"}]}')
    with pytest.raises(SettingsError, match="not a file of keys"):
        file.kept()
