"""What a person can set: names, ranges and defaults; every one of them works."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Annotated, get_args

from annotated_types import Ge, Le
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings import SettingsError as UnreadableVariableError

from pace.endpoint import LoopbackUrl, RemoteUrl
from pace.errors import SettingsError
from pace.memory.limits import IDLE_MINUTES, SUMMARY_TOKENS, WINDOW_SIZES, ThreadLimits

DEFAULT_INSTRUCTIONS = (
    "You are Pace, a friendly companion in a conversation. Answer in the language you are spoken "
    "to in, briefly and plainly, and say so when you do not know something."
)
# A system prompt of this length leaves no room in the contexts of small models.
_LONGEST_INSTRUCTIONS = 20_000
_SHOWN = 60


class Tier(StrEnum):
    """The kinds of planner."""

    EMBEDDED = "embedded"
    LOCAL = "local"
    APPLE = "apple"
    CLI = "cli"
    DIRECT = "direct"


class Provider(StrEnum):
    """Who stands behind tier cli (the first three) or tier direct (the others)."""

    CLAUDE = "claude"
    CODEX = "codex"
    GEMINI = "gemini"
    ANTHROPIC = "anthropic"
    OPENAI = "openai"
    OPENROUTER = "openrouter"
    CUSTOM = "custom"

    @property
    def tier(self) -> Tier:
        """The tier that it belongs to."""
        is_program = self in {Provider.CLAUDE, Provider.CODEX, Provider.GEMINI}
        return Tier.CLI if is_program else Tier.DIRECT


class SummariesBy(StrEnum):
    """Who makes the rolling summary."""

    AUTO = "auto"
    EXTRACTIVE = "extractive"
    PLANNER = "planner"


def _not_a_switch(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a number is needed")  # noqa: TRY004  # pydantic takes ValueError
    return value


def _address(value: str) -> str:
    """An address that some tier may call; `checked_address` knows which."""
    try:
        return LoopbackUrl(value).text
    except SettingsError:
        pass
    try:
        return RemoteUrl(value).text
    except SettingsError as error:
        raise ValueError(str(error)) from error


def _empty_if_none(value: object) -> object:
    return "" if value is None else value


def _none_if_empty(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


@dataclass(frozen=True, slots=True)
class _Allowed:
    """What a setting without a range may be, in words."""

    text: str


_Count = Annotated[int, BeforeValidator(_not_a_switch)]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Activity(_Section):
    """How much of the conversation is held, and for how long."""

    window: _Count = Field(
        4,
        ge=WINDOW_SIZES[0],
        le=WINDOW_SIZES[-1],
        title="turn pairs",
        description="how many of the last turn pairs the model sees word for word",
    )
    idle_minutes: _Count = Field(
        20,
        ge=IDLE_MINUTES[0],
        le=IDLE_MINUTES[-1],
        title="minutes",
        description="after how long a pause the conversation is forgotten",
    )
    remember: bool = Field(
        True,  # noqa: FBT003  # pydantic's own form
        description="remember this conversation; off forgets it at once",
    )
    show_summary: bool = Field(
        False,  # noqa: FBT003  # pydantic's own form
        description="show the current summary on screen",
    )
    summary_tokens: _Count = Field(
        400,
        ge=SUMMARY_TOKENS[0],
        le=SUMMARY_TOKENS[-1],
        title="tokens",
        description="how long the rolling summary may be",
    )
    recall: bool = Field(
        False,  # noqa: FBT003  # pydantic's own form
        description="keep older turns of chat and window whole, too, in memory alone, and show the "
        "model those that your words ask for",
    )


class PlannerSettings(_Section):
    """Who answers, and how."""

    tier: Tier = Field(
        Tier.EMBEDDED,
        description="embedded: a model inside Pace; local: a server on this machine; apple: "
        "Apple's on-device model; cli: a command-line assistant; direct: an API with your own key",
    )
    provider: Annotated[Provider | None, BeforeValidator(_none_if_empty)] = Field(
        None,
        description="for tier cli: claude, codex or gemini; for tier direct: anthropic, openai, "
        "openrouter or custom",
    )
    base_url: Annotated[
        Annotated[str, AfterValidator(_address)] | None,
        BeforeValidator(_none_if_empty),
        _Allowed("an http address on this machine, or for custom one elsewhere"),
    ] = Field(
        None,
        max_length=1000,
        description="the address of an OpenAI-compatible server: on this machine for tier local, "
        "elsewhere for the provider custom of tier direct",
    )
    model: Annotated[
        str | None, BeforeValidator(_none_if_empty), _Allowed("a name or a .gguf file")
    ] = Field(
        None,
        max_length=1000,
        description="a name that `pace models` lists or a .gguf file; for every other tier, a name "
        "as whoever answers calls it",
    )
    instructions: Annotated[
        str, _Allowed(f"a text of at most {_LONGEST_INSTRUCTIONS:,} characters")
    ] = Field(
        DEFAULT_INSTRUCTIONS,
        max_length=_LONGEST_INSTRUCTIONS,
        description="what the model is told ahead of every conversation",
    )
    reply_tokens: _Count = Field(
        1024, ge=16, le=32_768, title="tokens", description="how long a reply may be"
    )
    temperature: Annotated[float, BeforeValidator(_not_a_switch)] = Field(
        0.4,
        ge=0.0,
        le=2.0,
        allow_inf_nan=False,
        description="how freely words are chosen; 0 gives the likeliest each time",
    )
    fall_back: bool = Field(
        False,  # noqa: FBT003  # pydantic's own form
        description="when who you chose does not answer, let the model on this machine answer, "
        "and say so first",
    )


class SummariesSettings(_Section):
    """Who makes the rolling summary."""

    by: SummariesBy = Field(
        SummariesBy.AUTO,
        description="auto: the best on this machine that can; extractive: never a model; "
        "planner: whoever answers",
    )
    remote: bool = Field(
        False,  # noqa: FBT003  # pydantic's own form
        description="with summaries.by planner, let also a tier elsewhere make summaries",
    )


class ActionsSettings(_Section):
    """What Pace may do besides talk."""

    enabled: bool = Field(
        False,  # noqa: FBT003  # pydantic's own form
        description="let Pace act on this machine: timers, notes, apps, the clipboard, MCP servers",
    )
    allowed: Annotated[str, _Allowed("names of actions, with commas between them")] = Field(
        "",
        max_length=4000,
        description="actions that run without asking each time",
    )
    notes_folder: Annotated[str | None, BeforeValidator(_none_if_empty), _Allowed("a folder")] = (
        Field(
            None,
            max_length=1000,
            description="where notes are kept, as Markdown files; not set, in Pace's own folder",
        )
    )
    mcp_file: Annotated[str | None, BeforeValidator(_none_if_empty), _Allowed("a JSON file")] = (
        Field(
            None,
            max_length=1000,
            description="a file with mcpServers; not set, mcp.json beside the settings file",
        )
    )

    @property
    def allowed_names(self) -> frozenset[str]:
        """The actions that run without asking."""
        return frozenset(names_in(self.allowed))


class PrivacySettings(_Section):
    """What a person agreed to."""

    agreed: Annotated[str, _Allowed("names, with commas between them")] = Field(
        "",
        max_length=4000,
        description="who may get your words off this machine; asked once for each",
    )


class HistorySettings(_Section):
    """What is kept of conversations, for the person to read."""

    keep: bool = Field(
        True,  # noqa: FBT003  # pydantic's own form
        description="keep every turn in the history on this machine; the model never sees it",
    )
    retention_days: Annotated[
        _Count | None,
        BeforeValidator(_none_if_empty),
        _Allowed("a whole number of days, 1 to 3650"),
    ] = Field(
        None,
        ge=1,
        le=3650,
        description="after how many days a turn leaves the history; not set, it stays",
    )


class VoiceMode(StrEnum):
    """When the microphone of a spoken conversation is open."""

    PUSH_TO_TALK = "push-to-talk"
    HANDS_FREE = "hands-free"


class RecogniserName(StrEnum):
    """Who makes words of what is said."""

    BASE = "base"
    TINY_EN = "tiny.en"


class VoiceSettings(_Section):
    """How a spoken conversation hears and speaks."""

    mode: VoiceMode = Field(
        VoiceMode.PUSH_TO_TALK,
        description="push-to-talk: Pace listens while you have it listen; hands-free: it listens "
        "until nobody has spoken for a minute",
    )
    device: Annotated[
        str,
        BeforeValidator(_empty_if_none),
        _Allowed("a microphone's or loudspeaker's name, or part of it"),
    ] = Field(
        "",
        max_length=200,
        description="in the terminal: the microphone and the loudspeaker whose names hold this; "
        "not set, the system's own; the window uses the browser's",
    )
    recogniser: RecogniserName = Field(
        RecogniserName.BASE,
        description="who makes words of what you say: base, about a hundred languages; tiny.en, "
        "English alone, in half the time",
    )
    voice: Annotated[str, _Allowed("a voice that `pace voices` lists")] = Field(
        "",
        max_length=100,
        description="the voice that is asked first for what it speaks; not set, the best one here",
    )
    speed: Annotated[float, BeforeValidator(_not_a_switch)] = Field(
        1.0,
        ge=0.5,
        le=2.0,
        allow_inf_nan=False,
        description="how fast Pace speaks; 2 takes half the time",
    )
    headphones: Annotated[
        bool | None, BeforeValidator(_none_if_empty), _Allowed("on or off, or empty to be asked")
    ] = Field(
        None,
        description="in the terminal: whether you wear headphones, so that the microphone never "
        "hears Pace speak; not set, asked once; in the window the browser cancels the echo",
    )


class LogFormat(StrEnum):
    """How `pace serve` writes its log."""

    JSON = "json"
    TEXT = "text"


class ServeSettings(_Section):
    """How `pace serve` serves other programs."""

    host: Annotated[str, _Allowed("a name or an address of this machine")] = Field(
        "127.0.0.1",
        max_length=255,
        description="where the gateway listens; anything but this machine itself needs keys",
    )
    port: _Count = Field(8642, ge=0, le=65_535, description="its port; 0 takes any that is free")
    upstreams: Annotated[str, _Allowed("http addresses, with commas between them")] = Field(
        "",
        max_length=4000,
        description="OpenAI-compatible servers that answer; without one, planner.tier does",
    )
    upstream_key_env: Annotated[
        str | None, BeforeValidator(_none_if_empty), _Allowed("a variable's name")
    ] = Field(
        None,
        max_length=200,
        description="the environment variable that holds the key for these servers",
    )
    store: Annotated[
        str | None, BeforeValidator(_none_if_empty), _Allowed("an address like redis://host:6379/0")
    ] = Field(
        None,
        max_length=1000,
        description="a Redis or Valkey that holds the threads for several processes",
    )
    store_accepts_persistence: bool = Field(
        False,  # noqa: FBT003  # pydantic's own form
        description="use that server even if it writes threads to a disk",
    )
    workers: _Count = Field(
        1, ge=1, le=64, title="processes", description="how many processes serve; needs serve.store"
    )
    allow_hosts: Annotated[str, _Allowed("names, with commas between them")] = Field(
        "",
        max_length=4000,
        description="further names by which the gateway may be called",
    )
    allow_origins: Annotated[str, _Allowed("origins like https://example.com")] = Field(
        "",
        max_length=4000,
        description="pages of which sites may speak to it, with commas between them",
    )
    keys_file: Annotated[str | None, BeforeValidator(_none_if_empty), _Allowed("a file")] = Field(
        None,
        max_length=1000,
        description="where its keys are kept; not set, in Pace's own folder",
    )
    journal: bool = Field(
        False,  # noqa: FBT003  # pydantic's own form
        description="keep its turns in the history on this machine",
    )
    log_format: LogFormat = Field(
        LogFormat.JSON, description="how its log is written: one object a line, or for people"
    )
    traces: bool = Field(
        False,  # noqa: FBT003  # pydantic's own form
        description="send OpenTelemetry traces, without words, where OTEL_... variables say",
    )
    body_mib: _Count = Field(4, ge=1, le=256, title="MiB", description="how large a request may be")
    turns_at_once: _Count = Field(
        32, ge=1, le=100_000, title="turns", description="how many one key may have under way"
    )
    requests_per_minute: _Count = Field(
        600, ge=1, le=10_000_000, title="requests", description="how often one key may ask"
    )


class Settings(BaseSettings):
    """All settings, checked; a value of this class is right as a whole."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        env_prefix="PACE_",
        env_nested_delimiter="__",
        env_ignore_empty=True,
    )

    activity: Activity = Activity()
    planner: PlannerSettings = PlannerSettings()
    summaries: SummariesSettings = SummariesSettings()
    history: HistorySettings = HistorySettings()
    actions: ActionsSettings = ActionsSettings()
    privacy: PrivacySettings = PrivacySettings()
    voice: VoiceSettings = VoiceSettings()
    serve: ServeSettings = ServeSettings()

    @property
    def limits(self) -> ThreadLimits:
        """What a thread is held to."""
        return ThreadLimits(
            window_size=self.activity.window,
            idle_after=timedelta(minutes=self.activity.idle_minutes),
            remember=self.activity.remember,
            summary_tokens=self.activity.summary_tokens,
            recall=self.activity.recall,
        )

    def get(self, name: str) -> object:
        """The value of one setting, by its full name."""
        section, field = name.split(".")
        return getattr(getattr(self, section), field)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003  # pydantic's signature
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take what is given and nothing else; SettingsFile puts the layers together."""
        return (init_settings,)


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingInfo:
    """One setting: its full name, what it does, what it may be, and what it is if nobody says."""

    name: str
    description: str
    allowed: str
    default: object


def every_setting() -> tuple[SettingInfo, ...]:
    """All settings, in the order in which screens list them."""
    return tuple(
        SettingInfo(
            name=name,
            description=info.description or "",
            allowed=_allowed(info),
            default=info.default,
        )
        for name, info in _FIELDS.items()
    )


def check_name(name: str) -> None:
    """Raise SettingsError for a name that is no setting; it suggests the nearest."""
    if name in _FIELDS:
        return
    nearest = _nearest(name)
    step = f"Did you mean {nearest}?" if nearest else "`pace settings` lists them all."
    raise SettingsError(f"There is no setting {_shown(name)}. {step}")


def _nearest(name: str) -> str | None:
    near = difflib.get_close_matches(name, _FIELDS, n=1)
    if near:
        return near[0]
    last_words = {known.rpartition(".")[2]: known for known in _FIELDS}
    near = difflib.get_close_matches(name.rpartition(".")[2], last_words, n=1)
    return last_words[near[0]] if near else None


def settings_of(values: Mapping[str, object]) -> Settings:
    """Check values by their full names; what is not named has its default. Raises SettingsError."""
    nested: dict[str, dict[str, object]] = {}
    for name, value in values.items():
        check_name(name)
        section, _, field = name.partition(".")
        nested.setdefault(section, {})[field] = value
    try:
        return Settings.model_validate(nested)
    except ValidationError as error:
        wrong = ".".join(str(step) for step in error.errors()[0]["loc"][:2])
        check_value(wrong, values[wrong])
        raise


def names_in(value: object) -> tuple[str, ...]:
    """The names that a setting holds with commas between them; none in what is no text."""
    words = value.split(",") if isinstance(value, str) else []
    return tuple(name for word in words if (name := word.strip()))


def check_value(name: str, value: object, *, step: str | None = None) -> object:
    """The value as it will be held. Raises SettingsError; `step` says where to set it right."""
    check_name(name)
    section, _, field = name.partition(".")
    try:
        return Settings.model_validate({section: {field: value}}).get(name)
    except ValidationError as error:
        reason = error.errors(include_url=False)[0].get("ctx", {}).get("error")
        raise SettingsError(_complaint(name, value, reason, step)) from None


def check_fit(name: str, value: object, planner: PlannerSettings) -> None:
    """Raise SettingsError for an address or a provider that the tier in force has no use for."""
    text = "" if value is None else str(value)
    if name == "planner.base_url" and text.strip():
        checked_address(text, planner.tier, planner.provider)
    elif name == "planner.provider" and planner.tier in _PROVIDERS and text in set(Provider):
        provider = Provider(text)
        if provider.tier is not planner.tier:
            raise SettingsError(
                f"{provider} belongs to tier {provider.tier}, and tier {planner.tier} is set. "
                f"Switch both at once: pace tier {provider}"
            )


def checked_address(text: str, tier: Tier, provider: Provider | None) -> LoopbackUrl | RemoteUrl:
    """The address that this tier may call. Raises SettingsError, which names the tier."""
    is_custom = tier is Tier.DIRECT and provider in {None, Provider.CUSTOM}
    try:
        return RemoteUrl(text) if is_custom else LoopbackUrl(text)
    except SettingsError as error:
        # Every other tier keeps the address for the time when tier local is chosen.
        who = "tier direct, provider custom" if is_custom else "tier local"
        raise SettingsError(f"planner.base_url for {who}: {error}") from error


_PROVIDERS = {
    tier: tuple(provider for provider in Provider if provider.tier is tier)
    for tier in (Tier.CLI, Tier.DIRECT)
}


def check_whole(planner: PlannerSettings) -> None:
    """Raise SettingsError if it is not yet said who answers, or where; it names what is missing."""
    provider, names = planner.provider, _PROVIDERS.get(planner.tier)
    if names is not None and (provider is None or provider.tier is not planner.tier):
        raise SettingsError(
            f"Tier {planner.tier} needs to know who: {', '.join(names[:-1])} or {names[-1]}. "
            f"Say it like: pace tier {names[0]}"
        )
    if planner.tier is Tier.LOCAL and planner.base_url is None:
        raise SettingsError(
            "Tier local needs the address of a server on this machine. Set it like: pace settings "
            "planner.base_url http://127.0.0.1:1234/v1"
        )
    is_custom = planner.tier is Tier.DIRECT and provider is Provider.CUSTOM
    if is_custom and planner.base_url is None:
        raise SettingsError(
            "The provider custom needs an address. Set it like: pace tier custom --base-url "
            "https://example.com/v1"
        )
    if planner.base_url is not None and (is_custom or planner.tier is Tier.LOCAL):
        checked_address(planner.base_url, planner.tier, provider)


def in_environment() -> dict[str, object]:
    """The settings that environment variables name, by their full names, not checked yet.

    Raises SettingsError for a variable that names a section and no setting of it.
    """
    try:
        named = EnvSettingsSource(Settings)()
    except UnreadableVariableError as error:
        # A section was given as a text; the message names it.
        section = next(name for name in Settings.model_fields if f'"{name}"' in str(error))
        raise SettingsError(_no_setting(section)) from None
    values: dict[str, object] = {}
    for section, fields in named.items():
        if not isinstance(fields, Mapping):
            raise SettingsError(_no_setting(section))
        values.update({f"{section}.{field}": value for field, value in fields.items()})
    return values


def _no_setting(section: str) -> str:
    example = next(name for name in _FIELDS if name.startswith(f"{section}."))
    return (
        f"PACE_{section.upper()} in the environment names no setting. Name one, like "
        f"{variable_of(example)}."
    )


def variable_of(name: str) -> str:
    """The environment variable that sets a setting."""
    return f"PACE_{name.replace('.', '__').upper()}"


def shown_value(value: object) -> str:
    """A value as a person writes it: on and off, plain words, nothing for none.

    The password in a store's address is never shown.
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return ""
    text = str(value)
    if _STORE_ADDRESS.match(text):
        return _PASSWORD_ASKED.sub(r"\1***", _PASSWORD.sub(r"\1:***@", text))
    return text


_STORE_ADDRESS = re.compile(r"(?:rediss?|valkeys?|unix)://", re.IGNORECASE)
# To the last @, since people write passwords with one in them. The other way is a query's.
_PASSWORD = re.compile(r"(?<=://)([^:@/?#]*):.*@", re.DOTALL)
_PASSWORD_ASKED = re.compile(r"([?&]password=)[^&#]*", re.IGNORECASE)


def _complaint(name: str, value: object, reason: object, step: str | None) -> str:
    info = _FIELDS[name]
    if step is None:
        example = shown_value(info.default)
        step = f"Set it like: pace settings {name} {example if example.isalnum() else 'VALUE'}"
    if name == "planner.base_url" and reason is not None:
        return f"{name}: {reason} {step}"
    return f"{name} cannot be {_shown(value)}; it has to be {_allowed(info)}. {step}"


def _shown(value: object) -> str:
    """A bad value as it can stand in a sentence: one line, never long."""
    text = repr(str(value)) if isinstance(value, str) else str(value)
    if len(text) > _SHOWN or not text.isprintable():
        return f"a text of {len(str(value)):,} characters"
    return text


def _allowed(info: FieldInfo) -> str:
    """What a setting may be, in words that go after 'it has to be'."""
    if info.annotation is bool:
        return "on or off"
    names = _names_of(info.annotation)
    if names:
        return f"{', '.join(names[:-1])} or {names[-1]}"
    told = next((rule.text for rule in info.metadata if isinstance(rule, _Allowed)), None)
    if told is not None:
        return told
    lowest = next((rule.ge for rule in info.metadata if isinstance(rule, Ge)), None)
    highest = next((rule.le for rule in info.metadata if isinstance(rule, Le)), None)
    if info.annotation is int:
        of = f" of {info.title}" if info.title else ""
        return f"a whole number{of}, {lowest} to {highest}"
    return f"a number, {lowest} to {highest}"


def _names_of(annotation: object) -> tuple[str, ...]:
    """The names that a setting chooses from; none for other kinds."""
    kinds = (annotation, *get_args(annotation))
    enum = next((k for k in kinds if isinstance(k, type) and issubclass(k, StrEnum)), None)
    return () if enum is None else tuple(enum)


_FIELDS: dict[str, FieldInfo] = {
    f"{section}.{field}": info
    for section, model in (
        ("activity", Activity),
        ("planner", PlannerSettings),
        ("summaries", SummariesSettings),
        ("history", HistorySettings),
        ("actions", ActionsSettings),
        ("privacy", PrivacySettings),
        ("voice", VoiceSettings),
        ("serve", ServeSettings),
    )
    for field, info in model.model_fields.items()
}
