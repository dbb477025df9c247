// What every page of the window does by itself. It is served from Pace; the page's policy lets no
// script run that stands in a message.
"use strict";

// --- copying code

document.addEventListener("click", async (event) => {
  const button = event.target instanceof Element ? event.target.closest("button.copy") : null;
  const code = button?.closest(".code")?.querySelector("pre");
  if (!code) return;
  const done = await copyText(code.textContent);
  button.textContent = done ? "Copied" : "Press Ctrl+C";
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
});

// The clipboard is there on this machine's own addresses; over a network without encryption a
// browser has only the older way.
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text) {
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  area.style.position = "fixed";
  area.style.opacity = "0";
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  focused?.focus?.();
  return done;
}

// --- what is sent

// Half of a character, as of an emoji that was cut in two, can be in a text here and in no message:
// Pace could not read any of it. Whatever a page sends goes this way.
let socket;
Object.defineProperty(window, "socket", {
  get: () => socket,
  set(made) {
    const emit = made.emit;
    made.emit = (name, message, ...rest) => {
      const args = message?.args?.map(withoutHalves);
      return emit.call(made, name, args ? { ...message, args } : message, ...rest);
    };
    socket = made;
  },
});

// In JSON, only halves are written as an escape like this one; a backslash of the text is two.
function withoutHalves(json) {
  return json?.replace(/\\(?:(ud[89a-f][0-9a-f]{2})|.)/g, (found, half) => (half ? "\ufffd" : found));
}

// --- a connection that was lost

// A short gap closes by itself, and is not worth a word.
const PATIENCE = 1000;
const ASK_AGAIN = 2000;
const LOST =
  "Pace does not answer; it may have ended. What you write now is not sent. " +
  "This page looks for it and goes on when it is back.";
const ANOTHER =
  "Pace was started anew. Open the address that it printed when it started; this page cannot go on.";
// A place that is closed to whoever has not been let in.
const PROBE = "/static/window.js";

let isLost = false;
let asking = 0;

document.addEventListener("DOMContentLoaded", () => {
  // The framework says here whether the page is connected.
  const sign = document.getElementById("popup");
  const banner = document.createElement("div");
  banner.id = "connection";
  banner.setAttribute("role", "alert");
  banner.hidden = true;
  document.body.prepend(banner);
  new MutationObserver(() => {
    const wasLost = isLost;
    isLost = sign.getAttribute("aria-hidden") === "false";
    if (isLost && !wasLost) startLooking(banner);
    if (!isLost) stopLooking(banner);
  }).observe(sign, { attributes: true, attributeFilter: ["aria-hidden"] });
});

function startLooking(banner) {
  // It is on this machine, or near; looking often costs nobody anything.
  window.socket?.io.reconnectionDelayMax(ASK_AGAIN);
  const look = async () => {
    const sentence = await isAnother() ? ANOTHER : LOST;
    if (!isLost) return;
    if (banner.hidden || banner.textContent !== sentence) {
      banner.hidden = false;
      banner.textContent = sentence;
    }
    asking = setTimeout(look, ASK_AGAIN);
  };
  asking = setTimeout(look, PATIENCE);
}

function stopLooking(banner) {
  clearTimeout(asking);
  banner.hidden = true;
}

async function isAnother() {
  try {
    return (await fetch(PROBE, { cache: "no-store" })).status === 403;
  } catch {
    return false;
  }
}

// What is pressed meanwhile would be kept by the framework and done later, unasked. Words that are
// written stay where they are; the message box says itself that they were not sent.
function isHeldBack(event) {
  if (!isLost || !(event.target instanceof Element)) return false;
  if (event.target.closest("button.copy, .composer :not(.stop)")) return false;
  if (event.type === "click") return event.target.closest("button, a, [role]") !== null;
  return event.key === "Enter" || event.key === "Escape" || event.ctrlKey || event.altKey;
}

for (const kind of ["click", "keydown"]) {
  window.addEventListener(kind, (event) => {
    if (!isHeldBack(event)) return;
    const isCopying = event.type === "keydown" && (event.ctrlKey || event.metaKey) && !event.altKey
      && "acvxz".includes(event.key.toLowerCase());
    if (isCopying) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    const banner = document.getElementById("connection");
    banner?.classList.add("nudged");
    setTimeout(() => banner?.classList.remove("nudged"), 600);
  }, true);
}
