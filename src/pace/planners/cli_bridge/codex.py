"""Codex (`codex`), checked against version 0.171.0.

It tells whole messages, not pieces. Its tools are switched off one by one, since it has no switch
for all; a setting that a version does not know, it passes over. The person's own AGENTS.md in its
folder is read all the same.
"""

import json
from collections.abc import Mapping, Sequence

from pace.memory.prompt import Message
from pace.planners.answers import mapping
from pace.planners.cli_bridge.diagnosis import Said
from pace.planners.cli_bridge.faults import Faults
from pace.planners.cli_bridge.room import Room
from pace.planners.cli_bridge.transcript import FIXED_INSTRUCTION, as_one_text
from pace.planners.cli_bridge.vendor import Facts, Reader, Spoken, Told, count, text_of
from pace.ports import FinishReason, PlannerEvent, TextDelta, Thinking

_FAULTS = Faults(
    name="codex",
    company="OpenAI",
    install="npm install -g @openai/codex",
    sign_in="codex login",
)
_INSTRUCTION_FILE = "instruction.md"
_FEATURES_OFF = (
    *("apps", "browser_use", "code_mode_host", "computer_use", "goals", "hooks"),
    *("image_generation", "memories", "multi_agent", "plugins", "shell_tool", "sleep_tool"),
    *("tool_suggest", "unified_exec", "view_image"),
)
_CONFIGURATION = (
    'web_search="disabled"',
    "project_doc_max_bytes=0",
    "skills.include_instructions=false",
    "include_apps_instructions=false",
    "include_collaboration_mode_instructions=false",
    "include_environment_context=false",
    "include_permissions_instructions=false",
    "analytics.enabled=false",
    'history.persistence="none"',
    *(f"features.{name}=false" for name in _FEATURES_OFF),
)
_TOOL_ITEMS = {
    *("collab_tool_call", "command_execution", "file_change", "image_generation"),
    *("mcp_tool_call", "web_search"),
}


class Codex:
    """All of a prompt goes in as one text."""

    facts = Facts(
        faults=_FAULTS,
        host="codex (OpenAI)",
        context_tokens=128_000,
        keeps="Codex adds what you wrote in AGENTS.md in its own folder, if you did.",
        keys=frozenset({"CODEX_ACCESS_TOKEN", "CODEX_API_KEY"}),
        passed=frozenset({"CODEX_ACCESS_TOKEN", "CODEX_API_KEY", "CODEX_HOME"}),
        fixed_files={_INSTRUCTION_FILE: FIXED_INSTRUCTION},
        asks_login=("login", "status"),
    )

    def arguments(self, room: Room, *, model: str | None) -> Sequence[str]:
        """No session that is kept, no settings of the person's, nothing that may be written."""
        instruction = json.dumps(str(room.fixed / _INSTRUCTION_FILE))
        settings = (*_CONFIGURATION, f"model_instructions_file={instruction}")
        return (
            *("exec", "--json", "--ephemeral", "--skip-git-repo-check"),
            *("--ignore-user-config", "--ignore-rules", "--sandbox", "read-only"),
            *(word for setting in settings for word in ("-c", setting)),
            *(("--model", model) if model else ()),
            "-",
        )

    def environment(self, room: Room) -> Mapping[str, str]:  # noqa: ARG002
        """Nothing."""
        return {}

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
        self._shown: dict[str, int] = {}
        self._last_item = ""

    def take(self, event: Mapping[str, object]) -> Sequence[PlannerEvent]:
        """Items as they come; a turn that is completed or failed ends it.

        An event `error` says that it tries again; an item `error` is a warning.
        """
        kind = event.get("type")
        if kind == "error":
            self.told.is_troubled = True
        elif kind == "turn.failed":
            notice = text_of(mapping(event.get("error")).get("message"))
            raise _FAULTS.by_notice([self._said.without_passages(notice)], _FAULTS.refused())
        elif kind == "turn.completed":
            usage = mapping(event.get("usage"))
            self.told.prompt_tokens = count(usage.get("input_tokens"))
            self.told.cached_tokens = count(usage.get("cached_input_tokens"))
            self.told.reply_tokens = count(usage.get("output_tokens"))
            self.told.reason = FinishReason.STOP
        elif text_of(kind).startswith("item."):
            return self._item(mapping(event.get("item")), is_whole=kind == "item.completed")
        return ()

    def _item(self, item: Mapping[str, object], *, is_whole: bool) -> Sequence[PlannerEvent]:
        kind = item.get("type")
        if kind in _TOOL_ITEMS:
            raise _FAULTS.used_a_tool()
        text = text_of(item.get("text"))
        if kind == "reasoning" and is_whole:
            self.told.is_troubled = False
            return (Thinking(text),)
        if kind != "agent_message" or not text:
            return ()
        self.told.is_troubled = False
        return self._message(text_of(item.get("id")), text)

    def _message(self, name: str, text: str) -> Sequence[PlannerEvent]:
        """What is new of a message; a second one begins a paragraph."""
        known = self._shown.get(name, 0)
        self._shown[name] = max(known, len(text))
        new = text[known:]
        if new and self._last_item and self._last_item != name:
            new = f"\n\n{new}"
        self._last_item = name
        return (TextDelta(new),) if new else ()
