"""Who answers: the tier, its model or its address. A planner that cannot be had changes nothing."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

from nicegui import ui

from pace.doors.safe_text import safe_line
from pace.doors.switching import values_to_switch, who_answers
from pace.doors.web.adjusting import LABELS, Adjusting, shown_error
from pace.doors.web.confirming import confirmed
from pace.doors.web.fields import Check, Field
from pace.doors.web.plain import Tag, button
from pace.doors.web.planner_choices import (
    ADDRESSES,
    CHOICES,
    address_for,
    how_to_get,
    models_of,
)
from pace.doors.web.window import Window
from pace.errors import PaceError, SettingsError
from pace.folders import Folders
from pace.planners.ability import why_not
from pace.planners.offers import Offer, offers
from pace.planners.picking import BASE_URL, MODEL, TIER, Pick, fitting, tier_named
from pace.planners.tiers import choose_model, open_weights
from pace.settings import Provider, Tier

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


class PlannerSettings:
    """Tier, model and address, which are changed together where one needs the other."""

    def __init__(self, window: Window, adjusting: Adjusting) -> None:
        self._window = window
        self._adjusting = adjusting
        self._is_busy = False
        # Chosen, but without the address that it takes.
        self._wanted = ""
        self._shown: tuple[object, ...] = ()
        self._offers: dict[str, Offer] = {}
        self._servers: tuple[Offer, ...] = ()
        self._hints: dict[str, Tag] = {}
        self._server_place: Tag | None = None
        self._place = Tag("div").classes("stack")
        self._said = Tag("p", role="status").classes("setting-said")
        self.refresh()
        # The page is not kept waiting for who can be found here.
        ui.timer(0, self._look, once=True)

    def follow(self) -> None:
        """Show what was changed elsewhere; what is being typed here stays, if nothing was."""
        if not self._is_busy and self._state() != self._shown:
            self.refresh()

    def _state(self) -> tuple[object, ...]:
        planner = self._window.chat.settings.planner
        return planner.tier, planner.provider, planner.base_url, planner.model

    async def _look(self) -> None:
        """See who could answer here, and say so beside each."""
        found = await offers(self._window.chat.settings, models=Folders.of().models)
        self._offers = {offer.command: offer for offer in found if offer.command in CHOICES}
        self._servers = tuple(o for o in found if o.tier is Tier.LOCAL and o.is_usable)
        # Nothing is drawn anew: somebody may be writing there.
        for name, hint in self._hints.items():
            hint.set_text(safe_line(self._hint(name)))
        self._show_servers()

    def refresh(self) -> None:
        """Show who answers now; the keyboard stays at the same field."""
        self._shown = self._state()
        ui.run_javascript(_KEEP_PLACE)
        self._place.clear()
        self._hints.clear()
        self._server_place = None
        with self._place:
            self._build_tiers()
            if self._chosen in ADDRESSES:
                self._build_address(self._chosen)
            if self._chosen == Tier.EMBEDDED:
                self._build_models()
            elif self._chosen != Tier.APPLE and not self._wanted:
                self._build_model_name()

    @property
    def _active(self) -> str:
        """Who answers, by the name for `pace tier`."""
        planner = self._window.chat.settings.planner
        stands_behind = planner.provider is not None and planner.provider.tier is planner.tier
        return str(planner.provider) if stands_behind else str(planner.tier)

    @property
    def _chosen(self) -> str:
        return self._wanted or self._active

    # --- what can be chosen

    def _build_tiers(self) -> None:
        with Tag("fieldset").classes("choices"):
            Tag("legend", LABELS[TIER])
            self._note(TIER)
            for name, (title, _) in CHOICES.items():
                is_on = name == self._chosen
                hint = self._hint(name)
                self._hints[name] = self._choice("tier", name, title, hint, is_on=is_on, fixes=TIER)

    def _hint(self, name: str) -> str:
        """What one is, and what is known of whether it can answer here."""
        return f"{CHOICES[name][1]} {self._told(name)}".strip()

    def _told(self, name: str) -> str:
        """What is known of one that could answer; nothing before anybody looked."""
        if name == Tier.LOCAL and self._servers:
            return f"Found: {'; '.join(server.told for server in self._servers)}."
        offer = self._offers.get(name)
        if offer is None:
            return ""
        goes = f" Sends words to {offer.host}." if offer.host else ""
        return f"{offer.told[:1].upper()}{offer.told[1:].removesuffix('.')}.{goes}"

    def _build_address(self, name: str) -> None:
        planner = self._window.chat.settings.planner
        example, hint = ADDRESSES[name]
        shown = "" if name == self._wanted else planner.base_url
        with Tag("div").classes("field"):
            Tag("label", LABELS[BASE_URL], for_="planner-base-url")
            Field(
                "input",
                shown or "",
                heard=self._set_url,
                id="planner-base-url",
                type="url",
                placeholder=example,
                autocomplete="off",
                spellcheck="false",
                disabled=self._adjusting.is_fixed(BASE_URL),
                aria_describedby="planner-base-url-hint",
            )
            Tag("p", hint, id="planner-base-url-hint").classes("hint")
            self._note(BASE_URL)
        if name == Tier.LOCAL:
            self._server_place = Tag("div").classes("row")
            self._show_servers()

    def _show_servers(self) -> None:
        """Offer the servers that were found, while an address can be given."""
        if self._server_place is None:
            return
        shown = self._window.chat.settings.planner.base_url
        self._server_place.clear()
        with self._server_place:
            for server in self._servers:
                if server.base_url != shown or self._wanted:
                    self._button_for(server)

    def _button_for(self, server: Offer) -> None:
        button(
            f"Use {server.base_url}",
            "small",
            lambda: self._switch(Pick(tier=Tier.LOCAL, base_url=server.base_url)),
        )

    def _build_model_name(self) -> None:
        planner = self._window.chat.settings.planner
        is_local = planner.tier is Tier.LOCAL
        with Tag("div").classes("field"):
            Tag("label", LABELS[MODEL], for_="planner-model")
            Field(
                "input",
                planner.model or "",
                heard=self._set_model,
                id="planner-model",
                placeholder="whichever the server names first" if is_local else "its usual one",
                autocomplete="off",
                spellcheck="false",
                disabled=self._adjusting.is_fixed(MODEL),
                aria_describedby="planner-model-hint",
            )
            hint = "As the server calls it." if is_local else "As whoever answers calls it."
            Tag("p", hint, id="planner-model-hint").classes("hint")
            self._note(MODEL)

    def _build_models(self) -> None:
        folder = open_weights(Folders.of().models)
        model = self._window.chat.settings.planner.model
        with Tag("fieldset").classes("choices"):
            Tag("legend", LABELS[MODEL])
            self._note(MODEL)
            suited = choose_model(None, folder).file
            is_here = folder.path_of(suited).is_file()
            hint = f"Now {suited.title}." if is_here else how_to_get(suited.name)
            self._choice(
                "model",
                _AUTOMATIC,
                "What suits this machine",
                hint,
                is_on=model is None,
                can_be=is_here or model is None,
            )
            for name, title, facts, can_be in models_of(folder):
                is_on = model in {name, str(folder.folder / name)}
                self._choice("model", name, title, facts, is_on=is_on, can_be=can_be or is_on)
            if model is not None and not any(
                model in {name, str(folder.folder / name)} for name, *_ in models_of(folder)
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
        fixes: str = MODEL,
    ) -> Tag:
        async def choose(chosen: str) -> None:
            if chosen:
                await (self._choose(value) if group == "tier" else self._pick(value))

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
                return Tag("span", safe_line(hint)).classes("hint")

    def _note(self, name: str) -> None:
        if note := self._adjusting.fixed_by(name):
            Tag("p", note).classes("hint setting-note")

    # --- changing

    async def _choose(self, name: str) -> None:
        """Switch to what is chosen, as its row tells of it: to the server that was found there."""
        self._wanted = ""
        if name == self._active:
            self.refresh()
            self._tell("")
            return
        planner = self._window.chat.settings.planner
        tier, provider = tier_named(name)
        url = None
        if name in ADDRESSES:
            found = [str(s.base_url) for s in self._servers] if name == Tier.LOCAL else []
            kept = fitting(tier, provider, planner)[BASE_URL]
            url = address_for(None if kept is None else str(kept), found)
            if url is None:
                self._wanted = name
                self.refresh()
                self._tell("Give the server's address to switch to it.")
                return
        if name != Tier.EMBEDDED and (reason := await asyncio.to_thread(why_not, tier, provider)):
            self._tell(f"{CHOICES[name][0]} cannot answer here: {reason}", bad=True)
            self.refresh()
            return
        await self._switch(Pick(tier=tier, provider=provider, base_url=url))

    async def _set_url(self, url: str) -> None:
        is_custom = self._chosen == Provider.CUSTOM
        if not url.strip():
            await self._apply({BASE_URL: None})
        elif is_custom:
            pick = Pick(tier=Tier.DIRECT, provider=Provider.CUSTOM, base_url=url)
            await self._switch(pick)
        else:
            await self._switch(Pick(tier=Tier.LOCAL, base_url=url))

    async def _set_model(self, name: str) -> None:
        await self._apply({MODEL: name or None})

    async def _pick(self, value: str) -> None:
        await self._apply({MODEL: None if value == _AUTOMATIC else value})

    async def _switch(self, pick: Pick) -> None:
        """Have another one answer; who gets words for it is agreed to first."""
        chat = self._window.chat
        try:
            values = await values_to_switch(
                chat.settings_file, chat.settings.planner, pick, _agrees
            )
        except PaceError as error:
            self._tell(f"Who answered before goes on. {shown_error(error)}", bad=True)
            self.refresh()
            return
        if values is None:
            self._tell(f"Nothing was changed. {who_answers(chat.settings)}")
            self._wanted = ""
            self.refresh()
            return
        await self._apply(values)

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
            self._wanted = ""
            if TIER in values:
                said = who_answers(self._window.chat.settings)
            self._tell(f"{said} Waiting for it to be ready…")
            said = f"{said} {await self._ready()}"
        except PaceError as error:
            self._tell(f"Who answered before goes on. {shown_error(error)}", bad=True)
        else:
            self._tell(said)
        finally:
            self._is_busy = False
            self._place.props.pop("aria-busy", None)
        self.refresh()

    def _missing(self, values: Mapping[str, object]) -> str:
        """What to do before a model file can be used; a page fetches none."""
        planner = self._window.chat.settings.planner
        if values.get(TIER, planner.tier) != Tier.EMBEDDED:
            return ""
        folder = open_weights(Folders.of().models)
        name = values.get(MODEL, planner.model)
        try:
            chosen = choose_model(None if name is None else str(name), folder)
        except SettingsError as error:
            return shown_error(error)
        if chosen.path is not None or folder.path_of(chosen.file).is_file():
            return ""
        return f"{chosen.file.title} is {how_to_get(chosen.file.name)}"

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


async def _agrees(sentence: str) -> bool:
    return await confirmed("Send your words there?", sentence, verb="Yes, send them")
