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
