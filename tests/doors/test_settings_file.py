"""The settings file: what is read, what is written, and what happens to a broken one."""

import asyncio
import os
import stat
import sys
import tomllib
from datetime import timedelta
from pathlib import Path

import pytest

from pace.errors import SettingsError
from pace.settings import every_setting
from pace.settings_file import SettingsFile, Source, With, Without

NOTHING: dict[str, dict[str, object]] = {"environment": {}, "overrides": {}}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACE_HOME", str(tmp_path))
    return tmp_path / "settings.toml"


def test_defaults_are_the_designs(path: Path) -> None:
    """Without a file the limits are those of the original, and nothing is written."""
    limits = SettingsFile.open().current.limits
    assert (limits.window_size, limits.idle_after) == (4, timedelta(minutes=20))
    assert (limits.remember, limits.summary_tokens) == (True, 400)
    assert not path.exists()


def test_layers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Flags stand above the environment, that above the file, and each value names its source."""
    path.write_text("[activity]\nwindow = 1\nidle_minutes = 6\nsummary_tokens = 500\n")
    monkeypatch.setenv("PACE_ACTIVITY__WINDOW", "2")
    monkeypatch.setenv("PACE_ACTIVITY__IDLE_MINUTES", "7")
    file = SettingsFile.open({"activity.window": 3})
    activity = file.current.activity
    assert (activity.window, activity.idle_minutes, activity.summary_tokens) == (3, 7, 500)
    names = ("window", "idle_minutes", "summary_tokens", "remember")
    assert [file.source_of(f"activity.{name}") for name in names] == [
        *(Source.FLAG, Source.ENVIRONMENT, Source.FILE, Source.DEFAULT)
    ]


def test_change_is_applied_and_kept(path: Path) -> None:
    """A change holds at once and in the next run, in a file that only its owner reads."""
    file = SettingsFile.open()
    assert file.change("activity.window", "6").sentence == "activity.window is now 6."
    assert file.current.activity.window == 6
    assert SettingsFile.open().current.activity.window == 6
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(path.parent.iterdir()) == [path.with_name(".settings.toml.lock"), path]


def test_comments_stay(path: Path) -> None:
    """What a person wrote around a value stays as it is."""
    path.write_text("# mine\n[activity]\nwindow = 3 # small\n\n[later]\nx = 1\n")
    SettingsFile.open().change("activity.window", 5)
    assert path.read_text() == "# mine\n[activity]\nwindow = 5 # small\n\n[later]\nx = 1\n"


def test_linked_file_stays_linked(path: Path, tmp_path: Path) -> None:
    """A settings file that is a link is changed where it really is."""
    kept = tmp_path / "dotfiles" / "pace.toml"
    kept.parent.mkdir()
    kept.write_text("")
    path.symlink_to(kept)
    SettingsFile.open().change("activity.window", 5)
    assert path.is_symlink()
    assert tomllib.loads(kept.read_text()) == {"activity": {"window": 5}}


def test_change_of_another_run_is_kept(path: Path) -> None:
    """A change writes one value, and leaves in the file what others wrote meanwhile."""
    mine, others = SettingsFile.open(), SettingsFile.open()
    others.change("activity.idle_minutes", 9)
    mine.change("activity.window", 2)
    assert tomllib.loads(path.read_text()) == {"activity": {"idle_minutes": 9, "window": 2}}


def test_environment_is_said_to_come_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change that the environment overrides is written, and the sentence says what holds."""
    monkeypatch.setenv("PACE_ACTIVITY__WINDOW", "2")
    file = SettingsFile.open()
    change = file.change("activity.window", 6)
    assert change.is_overridden
    assert "PACE_ACTIVITY__WINDOW" in change.sentence
    assert file.current.activity.window == 2
    assert "window = 6" in path.read_text()


def test_change_outdoes_a_flag(path: Path) -> None:
    """What a person sets while Pace runs is newer than the flag it was started with."""
    file = SettingsFile.open({"activity.window": 3})
    assert not file.change("activity.window", 6).is_overridden
    assert file.current.activity.window == 6
    assert path.exists()


def test_wish_is_never_written(path: Path) -> None:
    """A wish of this run stands above everything and leaves no file."""
    file = SettingsFile.open({"activity.window": 3})
    file.wish("activity.window", 7)
    assert file.current.activity.window == 7
    assert not path.exists()


def test_model_file_is_found_from_everywhere(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model file that exists is kept by its whole path; a name stays a name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.gguf").write_bytes(b"GGUF")
    file = SettingsFile.open()
    assert file.change("planner.model", "mine.gguf").value == str(tmp_path / "mine.gguf")
    assert file.change("planner.model", "tiny").value == "tiny"
    assert path.exists()


@pytest.mark.parametrize("source", [Source.DEFAULT, Source.FILE, Source.FLAG, Source.RUN])
def test_undo_gives_every_source_its_own_back(path: Path, source: Source) -> None:
    """A change that was undone leaves no trace, in the file or above it."""
    written = "[activity]\nwindow = 2\n" if source is Source.FILE else ""
    path.write_text(written)
    file = SettingsFile.open({"activity.window": 2} if source is Source.FLAG else {})
    if source is Source.RUN:
        file.wish("activity.window", 2)
    before = file.current
    file.undo(file.change("activity.window", 6))
    assert file.current == before
    assert file.source_of("activity.window") is source
    again = SettingsFile.open().current.activity.window
    assert again == (2 if source is Source.FILE else 4)


def test_a_change_takes_up_nothing_else(path: Path) -> None:
    """What another window wrote to the file meanwhile changes nothing in this one."""
    here = SettingsFile.open()
    SettingsFile.open().change("planner.model", "tiny")
    here.change("activity.window", 6)
    assert here.current.planner.model is None
    assert tomllib.loads(path.read_text())["planner"]["model"] == "tiny"


def test_a_name_is_added_to_what_the_file_holds(path: Path) -> None:
    """A name that another process took out does not come back with one that is added here."""
    path.write_text('[privacy]\nagreed = "direct:one, direct:two"\n')
    here = SettingsFile.open()
    SettingsFile.open().change("privacy.agreed", Without("direct:one"))
    change = here.change("privacy.agreed", With("cli:claude"))
    assert here.current.privacy.agreed == "direct:two, cli:claude"
    assert tomllib.loads(path.read_text())["privacy"]["agreed"] == "direct:two, cli:claude"
    SettingsFile.open().change("privacy.agreed", Without("direct:two"))
    here.undo(change)
    assert SettingsFile.open().current.privacy.agreed == ""


@pytest.mark.usefixtures("path")
def test_undo_gives_back_what_the_file_said() -> None:
    """What another process wrote before a change stands in the file again when that is undone."""
    here = SettingsFile.open()
    SettingsFile.open().change("activity.window", 2)
    here.undo(here.change("activity.window", 6))
    assert here.current.activity.window == 4
    assert SettingsFile.open().current.activity.window == 2


@pytest.mark.parametrize("written", ['[privacy]\nagreed = "x"\n', "", "[privacy", None])
def test_one_setting_can_be_caught_up_with(path: Path, written: str | None) -> None:
    """It is what the file says then, nothing where that cannot be read; no file is moved."""
    path.write_text('[privacy]\nagreed = "y"\n')
    file = SettingsFile.open()
    path.unlink() if written is None else path.write_text(f"{written}[activity]\nwindow = 2\n")
    file.catch_up("privacy.agreed")
    assert file.current.privacy.agreed == ("x" if written and "x" in written else "")
    assert file.current.activity.window == 4
    assert len(list(path.parent.iterdir())) == (0 if written is None else 1)


def test_reset_gives_the_default(path: Path) -> None:
    """A reset takes the value out of the file and leaves the rest."""
    path.write_text("[activity]\nwindow = 3\nidle_minutes = 9\n")
    file = SettingsFile.open()
    file.reset("activity.window")
    assert (file.current.activity.window, file.current.activity.idle_minutes) == (4, 9)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("activity.window", 0, "1 to 8"),
        ("activity.window", 9, "1 to 8"),
        ("activity.window", True, "1 to 8"),
        ("activity.window", 2.5, "1 to 8"),
        ("activity.window", "many", "'many'"),
        ("activity.idle_minutes", 4, "5 to 60"),
        ("activity.idle_minutes", 61, "5 to 60"),
        ("activity.summary_tokens", 1201, "200 to 1200"),
        ("activity.remember", "maybe", "on or off"),
        ("planner.tier", "fast", "embedded, local, apple, cli or direct"),
        ("planner.base_url", "http://10.0.0.1:1/v1", "not on this machine"),
        ("planner.temperature", float("nan"), "0.0 to 2.0"),
        ("planner.temperature", 2.1, "0.0 to 2.0"),
        ("planner.reply_tokens", 1, "16 to"),
        ("planner.instructions", "x" * 20_001, "a text of 20,001 characters"),
        ("summaries.by", "nobody", "auto, extractive or planner"),
        ("activity.windw", 4, "Did you mean activity.window?"),
        ("tier", "local", "Did you mean planner.tier?"),
        ("colour", "red", "`pace settings` lists them all."),
    ],
)
def test_wrong_change_changes_nothing(path: Path, name: str, value: object, said: str) -> None:
    """A wrong value is one sentence with the range or the nearest name, and nothing is written."""
    file = SettingsFile.open()
    before = file.current
    with pytest.raises(SettingsError) as caught:
        file.change(name, value)
    assert said in str(caught.value)
    assert len(str(caught.value)) < 300
    assert file.current == before
    assert not path.exists()


def test_address_with_a_password_is_not_repeated(path: Path) -> None:
    """An address that is refused for its sign-in details is refused without showing them."""
    with pytest.raises(SettingsError) as caught:
        SettingsFile.open().change("planner.base_url", "http://me:hunter2@localhost:1/v1")
    assert "hunter2" not in str(caught.value)
    assert not path.exists()


@pytest.mark.parametrize(
    ("held", "name", "value", "said"),
    [
        ("embedded", "planner.base_url", "https://api.example.com/v1", "for tier local"),
        ("local", "planner.base_url", "https://api.example.com/v1", "for tier local"),
        ("direct", "planner.base_url", "http://api.example.com/v1", "provider custom"),
        ("cli", "planner.provider", "openai", "openai belongs to tier direct"),
        ("direct", "planner.provider", "claude", "pace tier claude"),
    ],
)
def test_what_the_tier_has_no_use_for_is_refused(
    path: Path, held: str, name: str, value: str, said: str
) -> None:
    """An address or a provider has to fit the tier that is set, and the sentence names it."""
    file = SettingsFile.open({"planner.tier": held})
    with pytest.raises(SettingsError, match=said):
        file.change(name, value)
    assert not path.exists()


def test_changes_that_go_together_are_all_made_or_none(path: Path) -> None:
    """One that is refused undoes those before it."""
    file = SettingsFile.open()
    together = {"planner.tier": "direct", "planner.provider": "custom"}
    with pytest.raises(SettingsError):
        file.change_all({**together, "planner.base_url": "http://api.example.com"})
    assert SettingsFile.open().current == file.current == SettingsFile(path, **NOTHING).current
    changes = file.change_all({**together, "planner.base_url": "https://api.example.com/"})
    assert file.current.planner.base_url == "https://api.example.com"
    file.undo_all(changes)
    assert SettingsFile.open().current == SettingsFile(path, **NOTHING).current


def test_wrong_value_in_the_file_is_told(path: Path) -> None:
    """A wrong value or name in the file is told, the others hold, and the file stays as it is."""
    written = "[activity]\nwindow = 99\nidle_minutes = 9\nwindo = 1\n"
    path.write_text(written)
    file = SettingsFile.open()
    assert (file.current.activity.window, file.current.activity.idle_minutes) == (4, 9)
    assert len(file.notices) == 2
    assert "1 to 8. Its default holds." in file.notices[0]
    assert "Did you mean activity.window?" in file.notices[1]
    assert path.read_text() == written


@pytest.mark.parametrize("content", [b"[activity\n", b"\xff\xfe", b"a = 1\na = 2\n"])
def test_broken_file_is_kept_aside(path: Path, content: bytes) -> None:
    """A file that is no TOML is kept under a new name, told of, and defaults hold."""
    path.write_bytes(content)
    file = SettingsFile.open()
    assert file.current.activity.window == 4
    assert len(file.notices) == 1
    assert "settings.toml.broken-1" in file.notices[0]
    assert path.with_name("settings.toml.broken-1").read_bytes() == content
    assert not path.exists()


def test_second_broken_file_keeps_the_first(path: Path) -> None:
    """No broken file takes the place of an earlier one."""
    for content in ("[one\n", "[two\n"):
        path.write_text(content)
        SettingsFile.open()
    kept = [path.with_name(f"settings.toml.broken-{number}").read_text() for number in (1, 2)]
    assert kept == ["[one\n", "[two\n"]


def test_value_where_a_section_belongs(path: Path) -> None:
    """A value under a section's name is told, and a change there is refused in a sentence."""
    path.write_text("activity = 5\n")
    file = SettingsFile.open()
    assert len(file.notices) == 1
    with pytest.raises(SettingsError, match=r"Make it \[activity\]"):
        file.change("activity.window", 5)


def test_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """A folder that cannot be written to is one sentence that names it, and nothing changes."""
    file = SettingsFile.open(path=tmp_path / "file" / "settings.toml")
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="cannot be"):
        file.change("activity.window", 5)
    assert file.current.activity.window == 4


def test_every_setting_has_words() -> None:
    """Each setting says what it does and what it may be."""
    for info in every_setting():
        assert info.description, info.name
        assert info.allowed, info.name


_WRITE_ON = """
import itertools
from pace.settings_file import SettingsFile
file = SettingsFile.open()
for number in itertools.count():
    file.change("planner.instructions", str(number % 10) * 19_000)
    print(flush=True)
"""


async def test_killed_while_it_writes(path: Path) -> None:
    """A process killed while it writes leaves a whole file, the old one or the new one."""
    for changes in range(1, 6):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _WRITE_ON),
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PACE_HOME": str(path.parent)},
        )
        assert process.stdout is not None
        for _ in range(changes):
            await process.stdout.readline()
        process.kill()
        await process.communicate()
        text = SettingsFile.open().current.planner.instructions
        assert (len(text), len(set(text))) == (19_000, 1)


_TAKE_TURNS = """
import sys
from pace.settings_file import SettingsFile, With, Without
file = SettingsFile.open()
for number in range(60):
    file.change("privacy.agreed", (With, Without)[number % 2](sys.argv[1]))
    file.change("activity.window", 1 + number % 8)
file.change("privacy.agreed", With(sys.argv[1]))
"""


async def test_processes_that_write_at_once_lose_nothing(path: Path) -> None:
    """Each reads and replaces the file alone, so that no change undoes another's."""
    names = ("one", "two", "three")
    writers = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _TAKE_TURNS, name),
            env={**os.environ, "PACE_HOME": str(path.parent)},
        )
        for name in names
    ]
    assert [await writer.wait() for writer in writers] == [0, 0, 0]
    assert set(SettingsFile.open().current.privacy.agreed.split(", ")) == set(names)
