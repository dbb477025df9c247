"""Twenty turns typed into Open WebUI, unmodified, in a browser, with the gateway as its server.

    python -m venv webui && webui/bin/pip install open-webui
    python benchmarks/open_webui.py --open-webui webui/bin/open-webui [--chat-ids] [--picture FILE]

Prints how many turns there were, the largest prompt of turns 1 to 10 and of 11 to 20 (its messages,
in estimated tokens, without the tools that Open WebUI declares), whether turn 1's code was still in
the prompt of turn 20, how many sessions and names the conversation had, and how many of the calls
that Open WebUI makes beside it (titles, tags, follow-ups) left nothing. `--chat-ids` has it send
the chat's id, as ENABLE_FORWARD_USER_INFO_HEADERS=true does.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
from clients import FACT, HERE, WORDS, free_port, running, wait_answers
from playwright.sync_api import Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
# Its first start makes its database, which takes most of a minute on two cores.
LIMIT_MS = 120_000
# The words are on the page, a reply is below them, and nothing is left to stop.
ANSWERED = """words => {
    const said = [...document.querySelectorAll('.chat-user')].at(-1);
    const reply = [...document.querySelectorAll('.chat-assistant')].at(-1);
    return said?.innerText.includes(words) && reply?.innerText.includes('in mind for you?')
        && said.compareDocumentPosition(reply) & Node.DOCUMENT_POSITION_FOLLOWING
        && !document.querySelector('[aria-label="Stop"]');
}"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--open-webui", required=True, type=Path)
    parser.add_argument("--chat-ids", action="store_true")
    parser.add_argument("--picture", type=Path)
    args = parser.parse_args()
    upstream, gateway, window = (f"http://127.0.0.1:{free_port()}" for _ in range(3))
    recording = (sys.executable, str(HERE / "recording_upstream.py"), port_of(upstream))
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        home = Path(folder)
        stack.enter_context(running(*recording, address=f"{upstream}/v1/models", home=home))
        log = home / "gateway.log"
        stack.enter_context(logging_gateway(gateway, upstream, log))
        data = home / "open-webui"
        data.mkdir()
        stack.enter_context(open_webui(args.open_webui, window, gateway, data, str(args.chat_ids)))
        talk(window, args.picture)
        prompts = httpx.post(f"{upstream}/asked", content=FACT).json()
        held = report(prompts, [json.loads(line) for line in log.read_text().splitlines()])
    return 0 if held else 1


@contextmanager
def logging_gateway(address: str, upstream: str, log: Path) -> Iterator[None]:
    pace = (str(Path(sys.executable).with_name("pace")), "serve", "--port", port_of(address))
    env = {**os.environ, "PACE_HOME": str(log.parent)}
    with log.open("wb") as lines:
        command = (*pace, "--upstream", f"{upstream}/v1", "--log-format", "json")
        with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=lines) as serving:
            try:
                wait_answers(f"{address}/healthz", serving)
                yield
            finally:
                serving.terminate()


@contextmanager
def open_webui(
    program: Path, address: str, gateway: str, data: Path, forwards: str
) -> Iterator[None]:
    env = {
        **os.environ,
        "DATA_DIR": str(data),
        "WEBUI_AUTH": "False",
        "WEBUI_SECRET_KEY": "none",
        "OPENAI_API_BASE_URL": f"{gateway}/v1",
        "OPENAI_API_KEY": "none",
        "ENABLE_FORWARD_USER_INFO_HEADERS": forwards,
        # Nothing is fetched: no other server, no model for embeddings.
        "ENABLE_OLLAMA_API": "False",
        "OFFLINE_MODE": "True",
        "HF_HUB_OFFLINE": "1",
        "RAG_EMBEDDING_ENGINE": "openai",
        "BYPASS_EMBEDDING_AND_RETRIEVAL": "True",
    }
    command = (str(program.absolute()), "serve", "--host", "127.0.0.1", "--port", port_of(address))
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, env=env, cwd=data, stdout=quiet, stderr=quiet) as serving:
        try:
            wait_answers(f"{address}/health", serving)
            yield
        finally:
            serving.terminate()


def talk(address: str, picture: Path | None) -> None:
    """Type the words as a person would, each when the last reply is there."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-background-networking"]
        )
        page = browser.new_page(locale="en-US")
        page.set_default_timeout(LIMIT_MS)
        # What is new, shown at the first visit.
        page.add_locator_handler(
            page.get_by_role("button", name="Okay, Let's Go!"), lambda button: button.click()
        )
        page.goto(address)
        for words in WORDS:
            say(page, words)
        if picture is not None:
            page.screenshot(path=picture)
        browser.close()


def say(page: Page, words: str) -> None:
    page.locator("#chat-input").click()
    page.keyboard.insert_text(words)
    page.keyboard.press("Enter")
    page.wait_for_function(ANSWERED, arg=words)


def report(prompts: list[dict[str, Any]], lines: list[dict[str, Any]]) -> bool:
    """Print what happened; whether turn 1's code was held, and nothing else was remembered."""
    turns = [line for line in lines if line["event"] == "turn"]
    remembered = [turn for turn in turns if turn["memory"] == "on"]
    # A call beside the conversation is one message; turn 1 is too, and is the smallest prompt.
    talked = [prompt for prompt in prompts if prompt["messages"] > 1]
    sizes = [prompt["tokens"] for prompt in talked]
    beside = len(turns) - len(WORDS)
    stateless = len(turns) - len(remembered)
    print(f"turns                          {len(talked) + 1}")
    print(f"largest prompt, turns 1-10     {max(sizes[:9])}")
    print(f"largest prompt, turns 11-20    {max(sizes[9:])}")
    print(f"turn 1's code at turn 20       {'held' if talked[-1]['holds'] else 'LOST'}")
    print(f"threads, sessions              {told(remembered, 'thread')}, ", end="")
    print(told(remembered, "session"))
    print(f"calls beside it, left nothing  {beside}, {stateless}")
    return bool(talked[-1]["holds"]) and beside == stateless


def told(turns: list[dict[str, Any]], name: str) -> int:
    return len({turn[name] for turn in turns})


def port_of(address: str) -> str:
    return address.rpartition(":")[2]


if __name__ == "__main__":
    sys.exit(main())
