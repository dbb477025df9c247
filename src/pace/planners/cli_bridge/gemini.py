"""Gemini CLI (`gemini`), checked against version 0.61.0.

It has no switch that keeps it from writing its own record of a session. Its settings are read from
the folder that it works in; the person's own GEMINI.md in its folder is read all the same.
"""

import json
from collections.abc import Mapping, Sequence

from pace.errors import PlannerError
from pace.memory.prompt import Message
from pace.planners.answers import mapping
from pace.planners.cli_bridge.diagnosis import Said
from pace.planners.cli_bridge.faults import Faults
from pace.planners.cli_bridge.room import Room
from pace.planners.cli_bridge.transcript import FIXED_INSTRUCTION, as_one_text
from pace.planners.cli_bridge.vendor import Facts, Reader, Spoken, Told, count, text_of
from pace.ports import FinishReason, PlannerEvent, TextDelta

_FAULTS = Faults(
    name="gemini",
    company="Google",
    install="npm install -g @google/gemini-cli",
    sign_in="gemini",
)
_INSTRUCTION_FILE = "instruction.md"
_POLICY_FILE = "policy.toml"
_NO_TOOLS = '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 999\n'
_NOTHING = "none"
# "@name" would hand the words to an agent of its own, if there were any.
_SETTINGS = {
    "admin": {
        "extensions": {"enabled": False},
        "mcp": {"enabled": False},
        "skills": {"enabled": False},
    },
    "context": {"fileName": [_NOTHING]},
    "experimental": {"enableAgents": False},
    "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
    "hooksConfig": {"enabled": False},
    "mcp": {"allowed": [_NOTHING]},
    "privacy": {"usageStatisticsEnabled": False},
    "skills": {"enabled": False},
    "telemetry": {"enabled": False},
    "tools": {"core": [_NOTHING]},
}
# FatalAuthenticationError in its source.
_SIGNED_OUT = 41
_QUOTA_TYPES = {"RetryableQuotaError", "TerminalQuotaError"}


class Gemini:
    """All of a prompt goes in as one text."""

    facts = Facts(
        faults=_FAULTS,
        host="gemini (Google)",
        context_tokens=200_000,
        keeps="Gemini keeps a copy of each turn in its own folder, .gemini in your home, and adds "
        "what you wrote in GEMINI.md there, if you did.",
        keys=frozenset({"GEMINI_API_KEY", "GOOGLE_API_KEY"}),
        passed=frozenset(
            {
                *("GEMINI_API_KEY", "GEMINI_CLI_HOME", "GOOGLE_API_KEY"),
                *("GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_LOCATION"),
                *("GOOGLE_CLOUD_PROJECT", "GOOGLE_GENAI_USE_GCA", "GOOGLE_GENAI_USE_VERTEXAI"),
            }
        ),
        elsewhere=frozenset(
            {"CODE_ASSIST_ENDPOINT", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_VERTEX_BASE_URL"}
        ),
        settings={
            # Set, so that no .env in its folder's parents or the person's home sets them.
            "CODE_ASSIST_ENDPOINT": "https://cloudcode-pa.googleapis.com",
            "GOOGLE_GEMINI_BASE_URL": "",
            "GOOGLE_VERTEX_BASE_URL": "",
            "GEMINI_CLI_NO_RELAUNCH": "true",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        fixed_files={_INSTRUCTION_FILE: FIXED_INSTRUCTION, _POLICY_FILE: _NO_TOOLS},
        work_files={".gemini/settings.json": json.dumps(_SETTINGS)},
        signed_out_codes=frozenset({_SIGNED_OUT}),
    )

    def arguments(self, room: Room, *, model: str | None) -> Sequence[str]:
        """No extension, no server, and a policy that denies every tool."""
        return (
            *("--output-format", "stream-json", "--skip-trust", "--extensions", _NOTHING),
            *("--allowed-mcp-server-names", _NOTHING),
            *("--admin-policy", str(room.fixed / _POLICY_FILE)),
            *(("--model", model) if model else ()),
        )

    def environment(self, room: Room) -> Mapping[str, str]:
        """Our fixed instruction in place of its own for programming."""
        return {"GEMINI_SYSTEM_MD": str(room.fixed / _INSTRUCTION_FILE)}

    def spoken(self, messages: Sequence[Message]) -> Spoken:
        """All messages, the system's included."""
        return Spoken(standard_input=as_one_text(messages))

    def reader(self, said: Said) -> Reader:
        """A reader of its events."""
        return _Reader(said)


class _Reader:
    def __init__(self, said: Said) -> None:
        self._said = said
        self.told = Told()

    def take(self, event: Mapping[str, object]) -> Sequence[PlannerEvent]:
        """Pieces of the reply; the result ends it."""
        kind = event.get("type")
        if kind == "message" and event.get("role") == "assistant":
            text = text_of(event.get("content"))
            return (TextDelta(text),) if text else ()
        if kind in {"tool_use", "tool_result"}:
            raise _FAULTS.used_a_tool()
        if kind == "result":
            return self._result(event)
        if kind is None and (fault := mapping(event.get("error"))):
            raise self._fault_of(fault)
        if kind == "error" and event.get("severity") == "error":
            raise self._fault_of(event)
        return ()

    def _result(self, event: Mapping[str, object]) -> Sequence[PlannerEvent]:
        if event.get("status") != "success":
            raise self._fault_of(mapping(event.get("error")))
        stats = mapping(event.get("stats"))
        self.told.prompt_tokens = count(stats.get("input_tokens"))
        self.told.cached_tokens = count(stats.get("cached"))
        self.told.reply_tokens = count(stats.get("output_tokens"))
        models = {
            name: count(mapping(used).get("output_tokens")) or 0
            for name, used in mapping(stats.get("models")).items()
        }
        self.told.model = max(models, key=lambda name: models[name], default=None)
        self.told.reason = FinishReason.STOP
        return ()

    def _fault_of(self, fault: Mapping[str, object]) -> PlannerError:
        if fault.get("code") == _SIGNED_OUT or fault.get("type") == "FatalAuthenticationError":
            return _FAULTS.signed_out()
        notice = self._said.without_passages(text_of(fault.get("message")))
        if fault.get("type") in _QUOTA_TYPES:
            return _FAULTS.by_notice([f"quota {notice}"], _FAULTS.refused())
        return _FAULTS.by_notice([notice], _FAULTS.refused())
