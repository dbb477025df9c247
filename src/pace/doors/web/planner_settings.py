"""Who answers: the tier, its model or its address. A planner that cannot be had changes nothing."""

from collections.abc import Mapping
from pathlib import Path

from nicegui import ui

from pace.doors.cli.fetching import gigabytes
from pace.doors.safe_text import safe_line
from pace.doors.web.adjusting import LABELS, Adjusting, shown_error
from pace.doors.web.fields import Check, Field
from pace.doors.web.plain import Tag
from pace.doors.web.window import Window
from pace.errors import PaceError, SettingsError
from pace.folders import Folders
from pace.planners.catalogue import LARGER, SHIPPED, known
from pace.planners.tiers import choose_model, open_weights
from pace.planners.weights import WeightsFolder
from pace.settings import Tier

_TIER, _URL, _MODEL = "planner.tier", "planner.base_url", "planner.model"
_AUTOMATIC = "automatic"
# Drawn anew, a field is another one: find the one of the same name, if the keyboard was there.
_KEEP_PLACE = """
  const was = document.activeElement;
  const place = was?.id?.startsWith('planner-') ? `#${was.id}`
    : was?.name?.startsWith('planner-') ? `[name="${was.name}"]:checked` : null;
  if (place) setTimeout(() => {
    if (document.activeElement === document.body) document.querySelector(place)?.focus();
  }, 200);
"""
_TIERS = {
    Tier.EMBEDDED: ("Embedded", "A model inside Pace, on this machine."),
    Tier.LOCAL: (
        "Local server",
        "LM Studio, Ollama, llama-server: whatever speaks OpenAI's protocol on this machine.",
    ),
}


class PlannerSettings:
    """Tier, model and address, which are changed together where one needs the other."""

    def __init__(self, window: Window, adjusting: Adjusting) -> None:
        self._window = window
        self._adjusting = adjusting
        self._is_busy = False
        self._wants_local = False
        self._shown: tuple[object, ...] = ()
        self._place = Tag("div").classes("stack")
        self._said = Tag("p", role="status").classes("setting-said")
        self.refresh()

    def follow(self) -> None:
        """Show what was changed elsewhere; what is being typed here stays, if nothing was."""
        if not self._is_busy and self._state() != self._shown:
            self.refresh()

    def _state(self) -> tuple[object, ...]:
        planner = self._window.chat.settings.planner
        return planner.tier, planner.base_url, planner.model

    def refresh(self) -> None:
        """Show who answers now; the keyboard stays at the same field."""
        self._shown = self._state()
        ui.run_javascript(_KEEP_PLACE)
        self._place.clear()
        with self._place:
            self._build_tiers()
            if self._shows_local:
                self._build_local()
            else:
                self._build_models()

    @property
    def _shows_local(self) -> bool:
        return self._wants_local or self._tier is Tier.LOCAL

    @property
    def _tier(self) -> Tier:
        return self._window.chat.settings.planner.tier

    # --- what can be chosen

    def _build_tiers(self) -> None:
        chosen = Tier.LOCAL if self._shows_local else Tier.EMBEDDED
        with Tag("fieldset").classes("choices"):
            Tag("legend", LABELS[_TIER])
            self._note(_TIER)
            for tier, (title, hint) in _TIERS.items():
                self._choice("tier", tier, title, hint, is_on=tier is chosen, fixes=_TIER)

    def _build_local(self) -> None:
        planner = self._window.chat.settings.planner
        with Tag("div").classes("field"):
            Tag("label", LABELS[_URL], for_="planner-base-url")
            Field(
                "input",
                planner.base_url or "",
                heard=self._set_url,
                id="planner-base-url",
                type="url",
                placeholder="http://127.0.0.1:1234/v1",
                autocomplete="off",
                spellcheck="false",
                disabled=self._adjusting.is_fixed(_URL),
                aria_describedby="planner-base-url-hint",
            )
            hint = "An http address on this machine; any other is refused."
            Tag("p", hint, id="planner-base-url-hint").classes("hint")
            self._note(_URL)
        if self._tier is not Tier.LOCAL:
            return
        with Tag("div").classes("field"):
            Tag("label", LABELS[_MODEL], for_="planner-model")
            Field(
                "input",
                planner.model or "",
                heard=self._set_model,
                id="planner-model",
                placeholder="whichever the server names first",
                autocomplete="off",
                spellcheck="false",
                disabled=self._adjusting.is_fixed(_MODEL),
                aria_describedby="planner-model-hint",
            )
            Tag("p", "As the server calls it.", id="planner-model-hint").classes("hint")
            self._note(_MODEL)

    def _build_models(self) -> None:
        folder = open_weights(Folders.of().models)
        model = self._window.chat.settings.planner.model
        with Tag("fieldset").classes("choices"):
            Tag("legend", LABELS[_MODEL])
            self._note(_MODEL)
            suited = choose_model(None, folder).file
            is_here = folder.path_of(suited).is_file()
            hint = f"Now {suited.title}." if is_here else _how_to_get(suited.name)
            self._choice(
                "model",
                _AUTOMATIC,
                "What suits this machine",
                hint,
                is_on=model is None,
                can_be=is_here or model is None,
            )
            for name, title, facts, can_be in _models(folder):
                is_on = model in {name, str(folder.folder / name)}
                self._choice("model", name, title, facts, is_on=is_on, can_be=can_be or is_on)
            if model is not None and not any(
                model in {name, str(folder.folder / name)} for name, *_ in _models(folder)
            ):
                self._choice("model", model, Path(model).name, model, is_on=True)

    def _choice(
        self,
        group: str,
        value: str,
        title: str,
        hint: str,
        *,
        is_on: bool,
        can_be: bool = True,
        fixes: str = _MODEL,
    ) -> None:
        async def choose(chosen: str) -> None:
            if chosen:
                await (self._set_tier(Tier(value)) if group == "tier" else self._pick(value))

        with Tag("label").classes("choice"):
            Check(
                "radio",
                value,
                heard=choose,
                is_on=is_on,
                name=f"planner-{group}",
                disabled=not can_be or self._adjusting.is_fixed(fixes),
            )
            with Tag("span").classes("choice-text"):
                Tag("span", safe_line(title)).classes("choice-title")
                Tag("span", safe_line(hint)).classes("hint")

    def _note(self, name: str) -> None:
        if note := self._adjusting.fixed_by(name):
            Tag("p", note).classes("hint setting-note")

    # --- changing

    async def _set_tier(self, tier: Tier) -> None:
        planner = self._window.chat.settings.planner
        self._wants_local = tier is Tier.LOCAL and planner.base_url is None
        if self._wants_local:
            self.refresh()
            self._tell("Give the server's address to switch to it.")
            return
        if tier is self._tier:
            self.refresh()
            self._tell("")
            return
        await self._apply({_TIER: tier, **self._model_fitting(tier)})

    async def _set_url(self, url: str) -> None:
        if self._tier is Tier.LOCAL:
            await self._apply({_URL: url})
        else:
            fitting = self._model_fitting(Tier.LOCAL)
            await self._apply({_URL: url, _TIER: Tier.LOCAL, **fitting})

    async def _set_model(self, name: str) -> None:
        await self._apply({_MODEL: name or None})

    async def _pick(self, value: str) -> None:
        await self._apply({_MODEL: None if value == _AUTOMATIC else value})

    def _model_fitting(self, tier: Tier) -> dict[str, object]:
        """A name that only the other tier knows is dropped with it."""
        model = self._window.chat.settings.planner.model
        if model is None:
            return {}
        is_file = known(model) is not None or model.lower().endswith(".gguf")
        return {} if is_file is (tier is Tier.EMBEDDED) else {_MODEL: None}

    async def _apply(self, values: Mapping[str, object]) -> None:
        """Change who answers; whoever answered goes on if that cannot be had."""
        if self._is_busy:
            return
        if missing := self._missing(values):
            self._tell(missing, bad=True)
            self.refresh()
            return
        self._is_busy = True
        self._tell("Switching. A reply that is being given is finished first…")
        self._place.props["aria-busy"] = "true"
        try:
            said = await self._adjusting.change(values)
            self._wants_local = False
            self._tell(f"{said} Waiting for it to be ready…")
            said = f"{said} {await self._ready()}"
        except PaceError as error:
            self._tell(f"{shown_error(error)} Who answered before goes on.", bad=True)
        else:
            self._tell(said)
        finally:
            self._is_busy = False
            self._place.props.pop("aria-busy", None)
        self.refresh()

    def _missing(self, values: Mapping[str, object]) -> str:
        """What to do before a model file can be used; a page fetches none."""
        planner = self._window.chat.settings.planner
        if values.get(_TIER, planner.tier) != Tier.EMBEDDED:
            return ""
        folder = open_weights(Folders.of().models)
        name = values.get(_MODEL, planner.model)
        try:
            chosen = choose_model(None if name is None else str(name), folder)
        except SettingsError as error:
            return shown_error(error)
        if chosen.path is not None or folder.path_of(chosen.file).is_file():
            return ""
        return f"{chosen.file.title} is {_how_to_get(chosen.file.name)}"

    async def _ready(self) -> str:
        """Ask the new planner who it is; that it does not answer is told, and changes nothing."""
        try:
            traits = await self._window.chat.parts.planner.traits()
        except PaceError as error:
            return f"But it does not answer: {error}"
        return f"{traits.model} answers, with a context of {traits.context_tokens:,} tokens."

    def _tell(self, sentence: str, *, bad: bool = False) -> None:
        self._said.classes(add="error" if bad else "", remove="" if bad else "error")
        self._said.set_text(safe_line(sentence))


def _models(folder: WeightsFolder) -> list[tuple[str, str, str, bool]]:
    """Name, title and facts of what is known and what is in the folder, and if it can be used."""
    listed = []
    for file in (*SHIPPED, *LARGER):
        is_here = folder.path_of(file).is_file()
        facts = f"{gigabytes(file.size)} · {file.licence} · {gigabytes(file.memory)} of memory"
        told = f"{facts} · here" if is_here else f"{facts} · {_how_to_get(file.name)}"
        listed.append((file.name, file.title, told, is_here))
    names = {file.file for file in (*SHIPPED, *LARGER)}
    others = sorted(path for path in folder.folder.glob("*.gguf") if path.name not in names)
    listed += [
        (path.name, path.stem, f"{gigabytes(path.stat().st_size)} · here", True) for path in others
    ]
    return listed


def _how_to_get(name: str) -> str:
    return f"not here; to fetch it: pace models get {name}"
