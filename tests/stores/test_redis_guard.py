"""Which servers and URLs are refused, and that no refusal shows a password."""

from pathlib import Path

import pytest

from pace.errors import SettingsError, StoreError, StoreUnreachableError
from pace.memory.thread import ThreadMemory
from pace.stores.redis.store import RedisOptions, RedisThreadMemoryStore
from stores.servers import Server

ACCEPTS = RedisOptions(accepts_persistence=True)


async def opens(url: str, options: RedisOptions | None = None) -> None:
    store = await RedisThreadMemoryStore.open(url, options)
    await store.aclose()


@pytest.mark.parametrize(
    ("setting", "value", "named"),
    [
        ("save", "60 1", "save is '60 1'"),
        ("appendonly", "yes", "appendonly is 'yes'"),
        ("repl-diskless-sync", "no", "repl-diskless-sync is 'no'"),
    ],
)
async def test_a_server_that_writes_to_a_disk_is_refused(
    own_server: Server, setting: str, value: str, named: str
) -> None:
    """R10: it is used only if that is accepted by name."""
    with own_server.client() as client:
        client.config_set(setting, value)
    with pytest.raises(SettingsError, match=f"{named}.*--store-accepts-persistence"):
        await opens(own_server.url)
    await opens(own_server.url, ACCEPTS)


async def test_a_server_that_does_not_tell_is_refused(own_server: Server) -> None:
    """What cannot be read counts as wrong: a user without CONFIG cannot know where words go."""
    with own_server.client() as client:
        client.execute_command(
            *("ACL", "SETUSER", "plain", "on", ">a-secret", "~*", "+@all", "-config")
        )
        url = f"unix://plain:a-secret@{own_server.socket}"
        with pytest.raises(SettingsError, match="does not tell whether it writes") as raised:
            await opens(url)
        assert "a-secret" not in str(raised.value)
        await opens(url, ACCEPTS)
        client.execute_command("ACL", "SETUSER", "plain", "-info")
        with pytest.raises(SettingsError, match="INFO"):
            await opens(url, ACCEPTS)


async def test_a_server_that_lets_live_threads_go_is_refused(own_server: Server) -> None:
    """Every key of ours expires, so each policy but noeviction could drop an acknowledged turn."""
    with own_server.client() as client:
        client.config_set("maxmemory-policy", "volatile-lru")
        await opens(own_server.url)  # without a limit nothing is dropped
        client.config_set("maxmemory", "100mb")
        with pytest.raises(SettingsError, match="Set maxmemory-policy to noeviction"):
            await opens(own_server.url)
        client.config_set("maxmemory-policy", "noeviction")
    await opens(own_server.url)


async def test_a_wrong_password_is_named_and_not_shown(own_server: Server) -> None:
    """The sentence says what to check; neither it nor a cause holds the password."""
    with own_server.client() as client:
        client.config_set("requirepass", "the-right-one")
    with pytest.raises(StoreError, match="refused the user or the password") as raised:
        await opens(f"unix://:a-secret@{own_server.socket}")
    assert "a-secret" not in f"{raised.value} {raised.value.__context__!s}"
    with pytest.raises(StoreError, match="refused the user or the password"):
        await opens(own_server.url)
    await opens(f"unix://:the-right-one@{own_server.socket}")


async def test_no_server_is_named(tmp_path: Path) -> None:
    """Where nothing answers, the sentence names the place and the next step."""
    with pytest.raises(StoreUnreachableError, match=r"nobody does not answer\. Check that it runs"):
        await opens(f"unix://user:a-secret@{tmp_path}/nobody")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost",
        "http://localhost:6379",
        "redis://:a-secret/more@localhost",
        "redis://user:a-secret@localhost:port",
        "redis://user:a-secret@localhost/0?colour=a-secret",
        "redis://user:a-secret@localhost/0?socket_timeout=a-secret",
        "redis://[user:a-secret@localhost",
    ],
)
async def test_a_url_that_cannot_be_is_not_quoted(url: str) -> None:
    """A URL is refused in one sentence, without what stands in it, which may be a password."""
    with pytest.raises(SettingsError, match="The store's URL") as raised:
        await opens(url)
    shown = raised.value
    assert "a-secret" not in f"{shown} {shown.__cause__!s} {shown.__context__!s}"


@pytest.mark.parametrize("prefix", ["", "a:b", "a*", "{a}", "ä", "x" * 65])
async def test_a_prefix_that_cannot_be_is_refused(own_server: Server, prefix: str) -> None:
    """A prefix holds nothing that a pattern or a slot would read."""
    with pytest.raises(SettingsError, match="prefix"):
        await opens(own_server.url, RedisOptions(prefix=prefix))


async def test_a_server_that_comes_back_with_a_disk_is_not_used(
    own_server: Server, memory: ThreadMemory
) -> None:
    """R10: settings are looked at on each connection, before anything is said."""
    store = await RedisThreadMemoryStore.open(own_server.url)
    async with store.turn(memory.thread_id) as held:
        assert await store.compare_and_set(memory.thread_id, held, memory, ends_turn=True)
    own_server.kill()
    own_server.settings = ("--save", "60 1")
    own_server.begin()
    for _ in range(2):
        with pytest.raises(StoreError, match="write conversations to a disk"):
            async with store.turn(memory.thread_id):
                pass
    with own_server.client() as client:
        assert client.dbsize() == 0
        client.config_set("save", "")
    async with store.turn(memory.thread_id) as held:
        assert held is None
    await store.aclose()
