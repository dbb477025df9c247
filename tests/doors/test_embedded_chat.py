"""`pace chat` with a real model on this machine: bounded, and on no disk."""

import signal
from collections.abc import Iterator
from pathlib import Path

from doors.running import machine

PLANTED = ("Ottilie", "KX-4417", "teal kettle")


def words_on_disk(folder: Path) -> Iterator[tuple[str, str]]:
    """Every planted word in a file of ours; the model's own file and folders are not ours."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            yield from ((word, path.name) for word in PLANTED if word.encode() in content)


def folders(folder: Path, tiny: Path) -> tuple[Path, Path]:
    """A home that holds the model, and a folder for what is temporary."""
    home, temp = folder / "home", folder / "temp"
    temp.mkdir()
    models = home / "cache" / "models"
    models.mkdir(parents=True)
    for path in tiny.parent.glob(f"{tiny.name}*"):
        (models / path.name).symlink_to(path)
    return home, temp


async def test_a_conversation_with_a_real_model_is_bounded_and_on_no_disk(
    short_path: Path, tiny: Path
) -> None:
    """R10: folded or not, while it runs and afterwards, memory is in no file."""
    home, temp = folders(short_path, tiny)
    env = {"TMPDIR": str(temp), "PACE_PLANNER__REPLY_TOKENS": "24"}
    flags = ("--model", "tiny", "--window", "1", "--no-history")
    async with machine(home, None, *flags, env=env) as pace:
        sizes = []
        for turn in range(8):
            text = "I am Ottilie, my code is KX-4417, I own a teal kettle." if not turn else "And?"
            (*_, reply) = await pace.ask({"text": text})
            assert reply["type"] == "reply", reply
            sizes.append(reply["prompt"]["tokens"])
        (*_, memory) = await pace.ask({"command": "settle"})
        assert list(words_on_disk(short_path)) == []
        status, *_ = await pace.end()
    assert status == 0
    assert memory["pending"] == []
    assert all(word in memory["summary"] for word in ("Ottilie", "KX-4417"))
    assert max(sizes) < 400 + 300 + 300
    assert list(words_on_disk(short_path)) == []


async def test_ended_from_outside_it_leaves_no_engine(short_path: Path, tiny: Path) -> None:
    """SIGTERM during a reply ends the engine too, and its folder is gone."""
    home, temp = folders(short_path, tiny)
    async with machine(home, None, "--model", "tiny", env={"TMPDIR": str(temp)}) as pace:
        await pace.send(b'{"text": "Tell me a story"}')
        assert (await pace.next())["type"] == "delta"
        assert list(temp.iterdir()) != []
        pace.signal(signal.SIGTERM)
        status, _, err = await pace.end()
    assert (status, err) == (130, "")
    assert list(temp.iterdir()) == []
