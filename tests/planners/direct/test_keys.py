"""Where keys come from, and that nothing shows one."""

import copy
import dataclasses
import pickle
import traceback

import pytest
from keyring.backends.fail import Keyring as NoKeyring
from keyring.backends.null import Keyring as ForgetfulKeyring
from keyring.errors import KeyringLocked

from pace.errors import MissingKeyError, SettingsError
from pace.planners.direct.keys import (
    ApiKey,
    KeySource,
    find_key,
    has_key,
    remove_key,
    store_key,
)
from pace.planners.direct.providers import FACTS
from pace.settings import Provider
from planners.direct.speaking import CANARY


class HeldKeyring:
    """A keyring in this process's memory."""

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str, /) -> str | None:
        return self.held.get((service, username))

    def set_password(self, service: str, username: str, password: str, /) -> None:
        self.held[service, username] = password

    def delete_password(self, service: str, username: str, /) -> None:
        del self.held[service, username]


class LockedKeyring(HeldKeyring):
    """A keyring whose person does not unlock it."""

    def get_password(self, service: str, username: str, /) -> str | None:
        raise KeyringLocked(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str, /) -> None:
        raise KeyringLocked(f"{service} {username} {len(password)}")


class BrokenKeyring(HeldKeyring):
    """A keyring that fails in a way of its own, and repeats what it was given."""

    def get_password(self, service: str, username: str, /) -> str | None:
        raise OSError(service, username)

    def set_password(self, service: str, username: str, password: str, /) -> None:
        raise OSError(service, username, password)


class PlaintextKeyring(HeldKeyring):
    """Named as the package that writes keys to a file."""


PlaintextKeyring.__module__ = "keyrings.alt.file"


@dataclasses.dataclass(frozen=True)
class Holder:
    key: ApiKey


def test_nothing_shows_a_key() -> None:
    """B78: no text, format, dump or copy of a key has it in it; only `reveal` gives it."""
    key = ApiKey(f" {CANARY}\n")
    holder = Holder(key)
    shown = [repr(key), str(key), f"{key}", f"{key!r:>40}", repr(holder), repr([key])]
    shown += [repr(dataclasses.asdict(holder)), repr(copy.copy(key)), repr(copy.deepcopy(key))]
    assert not [text for text in shown if "CANARY" in text]
    assert not hasattr(key, "__dict__")
    with pytest.raises(TypeError):
        pickle.dumps(key)
    assert key.reveal() == CANARY


@pytest.mark.parametrize(
    "text",
    ["", "short", "two words here", "line\nsk-CANARY-0123", "sk-CANARY-é", "sk-CANARY\x00-0123"],
)
def test_what_cannot_be_a_key_is_refused_unseen(text: str) -> None:
    """A key with a space, a line end or a strange character is refused without being shown."""
    with pytest.raises(SettingsError, match="no key") as refused:
        ApiKey(text)
    assert "CANARY" not in str(refused.value)
    with pytest.raises(SettingsError) as refused:
        find_key(
            Provider.OPENAI,
            environment={"OPENAI_API_KEY": text},
            keyring=HeldKeyring(),
        )
    assert "CANARY" not in str(refused.value)


@pytest.mark.parametrize("provider", FACTS)
def test_a_key_is_kept_and_dropped(provider: Provider) -> None:
    """What is stored is found, by its provider alone, until it is removed."""
    ring, nowhere = HeldKeyring(), dict[str, str]()
    assert has_key(provider, environment=nowhere, keyring=ring) is None
    store_key(provider, ApiKey(CANARY), keyring=ring)
    assert set(ring.held) == {("pace", provider.value)}
    assert has_key(provider, environment=nowhere, keyring=ring) is KeySource.KEYRING
    found = find_key(provider, environment=nowhere, keyring=ring)
    assert found is not None
    assert found.reveal() == CANARY
    assert remove_key(provider, keyring=ring)
    assert not remove_key(provider, keyring=ring)
    assert has_key(provider, environment=nowhere, keyring=ring) is None


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        (Provider.ANTHROPIC, "ANTHROPIC_API_KEY"),
        (Provider.OPENAI, "OPENAI_API_KEY"),
        (Provider.OPENROUTER, "OPENROUTER_API_KEY"),
        (Provider.CUSTOM, "PACE_API_KEY"),
    ],
)
def test_the_environment_counts_first(provider: Provider, variable: str) -> None:
    """A key in the provider's variable is used, whatever the keyring holds."""
    ring = HeldKeyring()
    store_key(provider, ApiKey("sk-another-key"), keyring=ring)
    environment = {variable: CANARY}
    assert has_key(provider, environment=environment, keyring=ring) is KeySource.ENVIRONMENT
    found = find_key(provider, environment=environment, keyring=ring)
    assert found is not None
    assert found.reveal() == CANARY


def test_a_missing_key_names_the_next_step() -> None:
    """Without a key the sentence names the command and the variable; an own server needs none."""
    for provider in (Provider.ANTHROPIC, Provider.OPENAI, Provider.OPENROUTER):
        with pytest.raises(MissingKeyError) as missing:
            find_key(provider, environment={}, keyring=HeldKeyring())
        assert f"pace tier key {provider}" in str(missing.value)
        assert FACTS[provider].variable in str(missing.value)
    assert find_key(Provider.CUSTOM, environment={}, keyring=HeldKeyring()) is None


@pytest.mark.parametrize("ring", [NoKeyring(), ForgetfulKeyring()])
def test_a_machine_without_a_keyring_has_variables(ring: NoKeyring) -> None:
    """Where no keyring keeps anything no key is found there, and storing one says what to do."""
    with pytest.raises(MissingKeyError, match="ANTHROPIC_API_KEY"):
        find_key(Provider.ANTHROPIC, environment={}, keyring=ring)
    with pytest.raises(SettingsError, match="Set ANTHROPIC_API_KEY"):
        store_key(Provider.ANTHROPIC, ApiKey(CANARY), keyring=ring)


@pytest.mark.parametrize(
    ("ring", "told"),
    [(LockedKeyring(), "locked"), (BrokenKeyring(), "failed"), (PlaintextKeyring(), "in a file")],
)
def test_a_keyring_at_fault_is_one_sentence(ring: HeldKeyring, told: str) -> None:
    """B78: a locked, broken or unsafe keyring keeps nothing, and no trace shows the key."""
    with pytest.raises(SettingsError, match=told) as failed:
        store_key(Provider.OPENAI, ApiKey(CANARY), keyring=ring)
    assert "OPENAI_API_KEY" in str(failed.value)
    assert CANARY not in "".join(traceback.format_exception(failed.value))
    assert not ring.held


@pytest.mark.parametrize(
    ("ring", "told"), [(LockedKeyring(), "locked"), (BrokenKeyring(), "failed")]
)
def test_a_keyring_that_cannot_be_asked_is_no_missing_key(ring: HeldKeyring, told: str) -> None:
    """A key that may well be there is not said to be missing."""
    for ask in (find_key, has_key):
        with pytest.raises(SettingsError, match=told) as failed:
            ask(Provider.OPENAI, environment={}, keyring=ring)
        assert not isinstance(failed.value, MissingKeyError)
