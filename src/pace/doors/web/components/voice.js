// The microphone at the message box. Held, it listens until it is let go; clicked, for one turn.
import { VoiceLink, canTalk } from "/static/voice-link.js";

// A shorter press is a click.
const HELD_FROM = 350;
// A microphone that opens long after it was asked for comes as a surprise.
const PATIENCE = 10_000;
const QUIETEST = -60;
const LOUDEST = -12;
const BARS = [0.35, 0.7, 1, 0.7, 0.35];
const NAMES = { off: "Talk", listening: "Listening", hearing: "Hearing", thinking: "Thinking", speaking: "Speaking" };
const INSECURE =
  "A browser gives no microphone to a page at this address. Open Pace at localhost on the machine that it runs on.";
const NOT_CONNECTED = "Pace is not connected. Press again when it is back.";
const READY = "Pace is ready to listen. Hold the microphone button, or click it.";
const NO_CONNECTION = "The sound connection could not be opened. Press the microphone button again.";

export default {
  template: `
    <div class="voice" :data-state="shown">
      <p v-if="words" class="voice-heard" dir="auto"><span class="unseen">Heard so far: </span>{{ words }}</p>
      <p class="voice-told" :class="{ empty: !notice }" role="status">{{ notice }}</p>
      <div class="voice-controls" role="group" aria-label="Voice">
        <button
          type="button" class="button voice-button" :class="shown" :aria-pressed="isOpen ? 'true' : 'false'"
          :aria-label="label" :title="title" :aria-busy="opening ? 'true' : undefined"
          @pointerdown="pointed" @pointerup="release" @pointercancel="release" @contextmenu.prevent
          @keydown.space.prevent="keyed" @keydown.enter.prevent="keyed" @keyup.space.prevent="release"
          @keyup.enter.prevent="release" @click="clicked" @blur="left"
        >
          <svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
            <rect x="9" y="3" width="6" height="11" rx="3" /><path d="M5.5 11a6.5 6.5 0 0 0 13 0M12 17.5V21" />
          </svg>
          <span class="voice-word">{{ word }}</span>
          <span v-if="hasLevel" class="voice-level" aria-hidden="true">
            <i v-for="(share, at) in bars" :key="at" :style="{ height: Math.round(20 + 80 * share * loudness) + '%' }"></i>
          </span>
        </button>
        <button
          type="button" class="voice-switch" role="switch" :aria-checked="handsFree ? 'true' : 'false'"
          title="Leave the microphone open, until nobody has spoken for a minute" @click="switchHands"
        ><i aria-hidden="true"></i>Hands-free</button>
        <button
          v-if="connected" type="button" class="button quiet small voice-mute" :aria-pressed="muted ? 'true' : 'false'"
          aria-label="Mute replies" :title="muted ? 'Replies are text alone. Press to hear them' : 'Have replies be text alone'"
          @click="$emit('mute', !muted)"
        >
          <svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
            <path d="M4 9.5v5h3.5L12 18.5v-13L7.5 9.5z" /><path v-if="muted" d="m16 9.5 5 5m0-5-5 5" /><path v-else d="M15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11" />
          </svg>
        </button>
      </div>
    </div>`,
  props: { opening: String, muted: Boolean },
  emits: ["open", "mute"],
  data() {
    return {
      state: "off",
      isOpen: false,
      isLive: false,
      handsFree: false,
      connected: false,
      connecting: false,
      words: "",
      told: "",
      heard: QUIETEST,
      sounds: QUIETEST,
      bars: BARS,
    };
  },
  computed: {
    // Whoever speaks before the browser has opened the microphone is not heard.
    isWaking() {
      return this.isOpen && !this.isLive && this.state === "listening";
    },
    shown() {
      return this.isWaking || this.connecting ? "waking" : this.state;
    },
    word() {
      return this.shown === "waking" ? "One moment" : NAMES[this.state];
    },
    hasLevel() {
      return ["listening", "hearing", "speaking"].includes(this.shown);
    },
    notice() {
      return this.told || this.opening;
    },
    label() {
      if (this.shown === "off") return "Talk: the microphone is off";
      return `${this.word}: the microphone is ${this.isLive ? "on" : "off"}`;
    },
    title() {
      if (this.state === "speaking") return "Press to cut in (Ctrl+Alt+V)";
      if (this.isOpen && !this.handsFree) return "Press when you are done, or just pause (Ctrl+Alt+V)";
      return "Hold to talk, or click for one turn (Ctrl+Alt+V)";
    },
    loudness() {
      const level = this.state === "speaking" ? this.sounds : this.isLive ? this.heard : QUIETEST;
      return Math.max(0, Math.min(1, (level - QUIETEST) / (LOUDEST - QUIETEST)));
    },
  },
  created() {
    this.link = new VoiceLink({
      shown: (now) => {
        this.state = now.state;
        this.isOpen = now.open;
        this.handsFree = now.handsFree;
        this.words = now.words;
      },
      live: (is) => { this.isLive = is; },
      level: (level) => { this.heard = level; },
      sounding: (level) => { this.sounds = level; },
      closed: () => {
        this.connected = this.isOpen = this.handsFree = false;
        this.state = "off";
        this.words = "";
        this.pressed = null;
      },
    });
  },
  mounted() {
    this.down = (event) => this.anyKey(event);
    this.up = (event) => {
      if (this.pressed?.by === "key" && ["KeyV", "ControlLeft", "ControlRight", "AltLeft", "AltRight"].includes(event.code)) this.release();
    };
    document.addEventListener("keydown", this.down);
    document.addEventListener("keyup", this.up);
    window.addEventListener("blur", this.release);
  },
  unmounted() {
    document.removeEventListener("keydown", this.down);
    document.removeEventListener("keyup", this.up);
    window.removeEventListener("blur", this.release);
    this.link.hangUp();
    this.link.end();
  },
  methods: {
    // --- what Pace says

    async connect(ticket) {
      try {
        await this.link.connect(ticket);
      } catch {
        this.fail(NO_CONNECTION);
        return;
      }
      this.connected = true;
      this.connecting = false;
      const { wanted } = this;
      this.wanted = null;
      const isLate = performance.now() - this.wantedAt > PATIENCE && !this.pressed;
      if (wanted && !isLate) this.link.order(wanted);
      else this.tell(READY);
    },
    fail(sentence) {
      this.connecting = false;
      this.wanted = null;
      this.tell(sentence);
    },
    tell(sentence) {
      this.told = sentence;
    },

    // --- what the person does

    pointed(event) {
      if (event.button !== 0) return;
      event.currentTarget.focus();
      event.currentTarget.setPointerCapture?.(event.pointerId);
      this.press("pointer");
    },
    keyed(event) {
      if (!event.repeat) this.press("button key");
    },
    anyKey(event) {
      const isOurs = event.code === "KeyV" && event.ctrlKey && event.altKey && !event.getModifierState("AltGraph");
      if (!isOurs || event.isComposing || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      if (!event.repeat) this.press("key");
    },
    press(by) {
      if (this.pressed) return;
      this.told = "";
      const ends = this.isOpen && !this.handsFree && this.state !== "speaking";
      this.pressed = { by, at: performance.now(), ends };
      if (ends) this.act({ kind: "end" });
      else this.act({ kind: "talk", held: true });
    },
    left() {
      if (this.pressed?.by === "button key") this.release();
    },
    release() {
      const { pressed } = this;
      this.pressed = null;
      if (!pressed || pressed.ends) return;
      this.link.wake();
      const isClick = performance.now() - pressed.at < HELD_FROM;
      this.act(isClick ? { kind: "talk", held: false } : { kind: "end" });
    },
    // A screen reader clicks without pressing.
    clicked(event) {
      if (event.detail !== 0) return;
      if (this.isOpen && !this.handsFree) this.act({ kind: "end" });
      else this.act({ kind: "talk", held: false });
    },
    switchHands() {
      this.told = "";
      this.act({ kind: "hands-free", on: !this.handsFree });
    },
    act(order) {
      if (!canTalk()) {
        if (order.kind !== "end") this.tell(INSECURE);
        return;
      }
      if (this.connected && this.link.isOpen) {
        this.link.wake();
        this.link.order(order);
        return;
      }
      // Whoever let go before it was ready says nothing any more.
      if (order.kind === "end") {
        this.wanted = null;
        return;
      }
      if (!(window.socket?.connected && window.did_handshake)) {
        this.tell(NOT_CONNECTED);
        return;
      }
      this.link.wake();
      this.wanted = order;
      this.wantedAt = performance.now();
      if (this.connecting) return;
      this.connecting = true;
      this.$emit("open");
    },
  },
};
