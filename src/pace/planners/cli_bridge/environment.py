"""What a program sees of our environment: what it needs to run and sign in, and nothing else."""

from collections.abc import Iterable, Mapping
from pathlib import Path

# Who the person is, their language, the way out of their network, and where keyrings are.
_COMMON = frozenset(
    {
        *("HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TZ", "USER"),
        *("LC_ALL", "LC_CTYPE", "LC_MESSAGES", "__CF_USER_TEXT_ENCODING"),
        *("DBUS_SESSION_BUS_ADDRESS", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"),
        *("XDG_RUNTIME_DIR", "XDG_STATE_HOME"),
        *("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"),
        *("all_proxy", "https_proxy", "http_proxy", "no_proxy"),
        *("NODE_EXTRA_CA_CERTS", "SSL_CERT_DIR", "SSL_CERT_FILE"),
        # Windows
        *("APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT"),
        *("PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT"),
        *("USERNAME", "USERPROFILE", "WINDIR"),
    }
)


def leading_elsewhere(ours: Mapping[str, str], names: Iterable[str]) -> tuple[str, ...]:
    """Those of the names that are set."""
    return tuple(name for name in sorted(names) if ours.get(name, "").strip())


def environment_for(
    ours: Mapping[str, str],
    *,
    passed: Iterable[str],
    settings: Mapping[str, str],
    temporary: Path,
) -> dict[str, str]:
    """The common variables and those `passed`, as we have them; then `settings`."""
    names = _COMMON.union(passed)
    kept = {name: value for name, value in ours.items() if name in names}
    places = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(temporary))
    return {**kept, "NO_COLOR": "1", "TERM": "dumb", **places, **settings}
