// The message box: it holds what is being written, gives each message its id, and knows the keys.
// Words leave it only while Pace is connected, and come back if Pace went away before it had them.
export default {
  template: `
    <form class="composer" :class="{ editing: editing, temporary: temporary }" @submit.prevent="send">
      <div v-if="editing" class="composer-state">
        <span>Editing your last message. The new reply takes the old one's place.</span>
        <button type="button" class="button small quiet" @click="leaveEditing">Cancel edit</button>
      </div>
      <div v-if="others" class="composer-state" role="status">
        <span>Others that could answer: {{ others }}. <a href="/settings#planner">Choose</a></span>
      </div>
      <div v-if="goesTo" class="composer-state away">
        <span>Your words leave this machine: they go to {{ goesTo }}.</span>
      </div>
      <div v-if="tooLong" id="too-long" class="composer-state warning" role="alert">{{ tooLong }}</div>
      <div v-if="trouble" class="composer-state warning" role="alert">{{ trouble }}</div>
      <div class="composer-box">
        <textarea
          ref="box" v-model="text" rows="1" aria-label="Message" :placeholder="placeholder"
          :aria-describedby="tooLong ? 'too-long' : undefined" enterkeyhint="send" spellcheck="true"
          @input="changed" @keydown="key"
        ></textarea>
        <slot></slot>
        <div class="composer-send">
          <button v-if="replying" type="button" class="button stop" @click="$emit('stop')">
            <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
              <rect x="2" y="2" width="10" height="10" rx="2" fill="currentColor" />
            </svg>
            Stop
          </button>
          <button type="submit" class="button primary send" :disabled="!hasWords || !!tooLong">Send</button>
        </div>
      </div>
    </form>`,
  props: {
    replying: Boolean,
    temporary: Boolean,
    goesTo: String,
    others: String,
    longest: Number,
  },
  emits: ["say", "stop", "draft", "key"],
  data() {
    return { text: "", editing: "", before: "", trouble: "", sent: null, returned: null };
  },
  computed: {
    hasWords() {
      return this.text.trim() !== "";
    },
    tooLong() {
      if (this.text.length <= this.longest) return "";
      const [count, most] = [this.text.length, this.longest].map((number) => number.toLocaleString("en"));
      return `A message holds at most ${most} characters, and these are ${count}. Shorten them, or send them in parts. They are not kept when you leave this page.`;
    },
    placeholder() {
      if (this.editing) return "Change what you said";
      return this.temporary ? "Say something that nobody keeps" : "Say something";
    },
  },
  watch: {
    text() {
      this.$nextTick(this.fit);
      clearTimeout(this.telling);
      this.telling = setTimeout(() => this.tellDraft(), 400);
    },
  },
  mounted() {
    document.addEventListener("keydown", this.anyKey);
    this.lost = () => this.giveBack("Pace is not connected. Your words are still here.");
    // The page's connection is made after its parts.
    this.$nextTick(() => window.socket?.on("disconnect", this.lost));
    if (window.matchMedia("(hover: hover)").matches) this.focus();
  },
  unmounted() {
    document.removeEventListener("keydown", this.anyKey);
    window.socket?.off("disconnect", this.lost);
    clearTimeout(this.telling);
  },
  methods: {
    send() {
      if (!this.hasWords || this.tooLong) return;
      if (!connected()) {
        this.trouble = "Pace is not connected, so nothing was sent. Your words stay here.";
        return;
      }
      const said = { id: this.idFor(), text: this.text, replaces: this.editing };
      this.trouble = "";
      this.sent = said;
      this.returned = null;
      this.text = this.editing ? this.before : "";
      this.editing = this.before = "";
      this.tellDraft();
      this.$emit("say", said);
      this.focus();
    },
    // Words that came back, and may have reached Pace all the same, are the same turn when they are
    // sent again as they were.
    idFor() {
      const back = this.returned;
      const isSame = back && back.text === this.text && back.replaces === this.editing;
      return isSame ? back.id : newId();
    },
    // Pace has these words.
    took(id) {
      if (this.sent?.id === id) this.sent = null;
    },
    // Pace did not take these words, or they may never have reached it.
    giveBack(why, id) {
      const said = this.sent;
      if (!said || (id && said.id !== id)) return;
      this.sent = null;
      if (!id) {
        this.returned = said;
        if (!this.editing) this.editing = said.replaces;
      }
      this.text = this.text ? `${said.text}\n${this.text}` : said.text;
      this.trouble = why;
    },
    put(text) {
      this.text = text;
      this.trouble = "";
      this.focus();
    },
    restore(text) {
      if (!this.text) this.put(text);
    },
    edit(turn, text) {
      if (!this.editing) this.before = this.text;
      this.editing = turn;
      this.put(text);
    },
    leaveEditing() {
      if (!this.editing) return;
      this.editing = "";
      this.put(this.before);
      this.before = "";
    },
    // The turn that is being edited is not the last one any more.
    endEditing(turn) {
      if (this.editing !== turn) return;
      this.editing = this.before = "";
      this.trouble = "That message is not the last one any more; this will be a new one.";
    },
    focus() {
      this.$nextTick(() => {
        const box = this.$refs.box;
        box?.focus({ preventScroll: true });
        box?.setSelectionRange(box.value.length, box.value.length);
      });
    },
    fit() {
      const box = this.$refs.box;
      if (!box) return;
      box.style.height = "auto";
      box.style.height = `${box.scrollHeight}px`;
    },
    changed() {
      this.trouble = "";
    },
    tellDraft() {
      clearTimeout(this.telling);
      if (connected() && !this.tooLong) this.$emit("draft", this.editing ? "" : this.text);
    },
    key(event) {
      // While an input method composes, Enter chooses what it offers (229: Safari's last one).
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      if (!event.repeat) this.send();
    },
    anyKey(event) {
      if (event.isComposing || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      const isWriting = event.target.closest?.("input, textarea, select, [contenteditable]");
      const isPlain = !event.ctrlKey && !event.altKey && !event.metaKey;
      if (event.key === "Escape") {
        if (this.editing) this.leaveEditing();
        else this.$emit("key", "escape");
      } else if (event.ctrlKey && event.altKey && !event.getModifierState("AltGraph")) {
        const name = { KeyN: "new", KeyT: "temporary", KeyM: "memory", KeyF: "find" }[event.code];
        if (!name || event.repeat) return;
        event.preventDefault();
        this.$emit("key", name);
      } else if (isPlain && !isWriting && event.key === "/") {
        event.preventDefault();
        this.focus();
      } else if (isPlain && !isWriting && event.key === "?") {
        event.preventDefault();
        this.$emit("key", "help");
      }
    },
  },
};

function connected() {
  return Boolean(window.socket?.connected && window.did_handshake);
}

function newId() {
  // randomUUID is there on this machine's own addresses only.
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
