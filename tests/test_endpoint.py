"""Which addresses count as this machine's."""

import pytest

from pace.endpoint import LoopbackUrl
from pace.errors import SettingsError


@pytest.mark.parametrize(
    ("written", "held"),
    [
        ("http://localhost:1234/v1/", "http://localhost:1234/v1"),
        (" http://127.0.0.1:8080 ", "http://127.0.0.1:8080"),
        ("https://127.8.9.10/v1", "https://127.8.9.10/v1"),
        ("http://[::1]:11434/v1", "http://[::1]:11434/v1"),
        ("http://LOCALHOST:1/v1", "http://LOCALHOST:1/v1"),
    ],
)
def test_an_address_of_this_machine_is_held_without_its_last_slash(written: str, held: str) -> None:
    """Loopback addresses pass, spelt in any of their ways."""
    assert LoopbackUrl(written).text == held


@pytest.mark.parametrize(
    "written",
    [
        "http://example.com/v1",
        "http://localhost.example.com",
        "http://127.0.0.1.example.com",
        "http://example.com#@localhost",
        "http://localhost@example.com",
        "http://me:secret@localhost",
        "http://@localhost",
        "http://0.0.0.0:1",
        "http://[::]:1",
        "http://[::1%eth0]:1",
        "http://[::ffff:10.0.0.1]:1",
        "http://10.0.0.1",
        "http://2130706433",
        "http://127.1",
        "http://0x7f.0.0.1",
        "http://localhost.",
        "http://localhost\\.example.com",
        "http://localhost\n.example.com",
        "http://localhost:port",
        "http://localhost:99999",
        "http://localhost/v1?x=1",
        "http://localhost/v1#x",
        "ftp://localhost",
        "unix:///tmp/x",
        "localhost:1234",
        "http://",
        "",
    ],
)
def test_any_other_address_is_refused_in_a_sentence(written: str) -> None:
    """Whatever is not plainly loopback, or holds more than an address, is no LoopbackUrl."""
    with pytest.raises(SettingsError) as refused:
        LoopbackUrl(written)
    assert str(refused.value).endswith((".", "/v1"))
    assert "secret" not in str(refused.value)
