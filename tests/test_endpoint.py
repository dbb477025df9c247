"""Which addresses count as this machine's, and which others words may be sent to."""

import pytest

from pace.endpoint import LoopbackUrl, RemoteUrl
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


@pytest.mark.parametrize(
    ("written", "held", "host"),
    [
        ("https://api.openai.com/v1/", "https://api.openai.com/v1", "api.openai.com"),
        (" https://Example.com:443 ", "https://Example.com:443", "example.com"),
        ("https://example.com:8443/v1", "https://example.com:8443/v1", "example.com:8443"),
        ("https://8.8.8.8", "https://8.8.8.8", "8.8.8.8"),
        ("https://nas.local/v1", "https://nas.local/v1", "nas.local"),
        ("http://192.168.1.20:8080/v1", "http://192.168.1.20:8080/v1", "192.168.1.20:8080"),
        ("http://10.1.2.3", "http://10.1.2.3", "10.1.2.3"),
        ("http://172.31.255.1", "http://172.31.255.1", "172.31.255.1"),
        ("http://[fd12::1]:80", "http://[fd12::1]:80", "fd12::1"),
        ("http://[fd12::1]:81", "http://[fd12::1]:81", "[fd12::1]:81"),
        ("http://127.0.0.1:4000", "http://127.0.0.1:4000", "127.0.0.1:4000"),
        ("http://localhost:4000", "http://localhost:4000", "localhost:4000"),
    ],
)
def test_a_remote_address_is_held_and_named(written: str, held: str, host: str) -> None:
    """HTTPS passes anywhere, plain HTTP to a private address in figures; each names its host."""
    url = RemoteUrl(written)
    assert (url.text, str(url), url.host) == (held, held, host)


@pytest.mark.parametrize(
    "written",
    [
        "http://api.openai.com/v1",
        "http://8.8.8.8",
        "http://172.32.0.1",
        "http://192.169.0.1",
        "http://169.254.169.254",
        "http://100.64.0.1",
        "http://0.0.0.0",
        "http://nas.local:8080",
        "http://nas",
        "http://192.168.1.20.example.com",
        "http://192.168.1",
        "http://0xc0a80114",
        "http://3232235796",
        "http://[fe80::1]",
        "http://[fe80::1%eth0]",
        "https://[fe80::1%eth0]",
        "http://[::ffff:192.168.1.20]",
        "http://[2001:db8::1]",
        "https://me:sk-CANARY@example.com",
        "https://sk-CANARY@example.com",
        "https://example.com/v1?key=sk-CANARY",
        "https://example.com/v1#sk-CANARY",
        "ftp://example.com/sk-CANARY",
        "me:sk-CANARY@example.com",
        "sk-CANARY",
        "https://exa%6dple.com",
        "https://exämple.com",
        "https://192.168.1.20\\.example.com",
        "https://example.com:port",
        "https://exam ple.com",
        "https://-example.com",
        "https://",
        "",
    ],
)
def test_what_could_be_read_on_the_way_is_refused(written: str) -> None:
    """B78: no plain HTTP but to the house, no key in an address, and no refusal shows one."""
    with pytest.raises(SettingsError) as refused:
        RemoteUrl(written)
    assert "CANARY" not in str(refused.value)
    with pytest.raises(SettingsError) as local:
        LoopbackUrl(written)
    assert "CANARY" not in str(local.value)
