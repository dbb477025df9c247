// One turn: what was said, and the reply as far as it has come. What has not changed is not drawn
// again, so that a selection, a focus and a place in a code block outlive the next words.
// A browser takes long over very long words.
const LONGEST = 4000;

export default {
  template: `
    <article class="turn" :class="status" :data-turn="turn" :aria-busy="open ? 'true' : undefined">
      <div class="said-line"><span class="unseen">You: </span><div class="said" dir="auto">{{ words }}</div></div>
      <div v-if="words !== said" class="said-line"><button type="button" class="button small quiet" @click="whole = true">Show all {{ said.length.toLocaleString("en") }} characters</button></div>
      <div class="answer">
        <span class="unseen">Pace: </span>
        <div v-show="html" class="reply prose" dir="auto" ref="reply"></div>
        <div v-if="unheard" class="unheard" dir="auto"><span class="unseen">Written, and not heard any more: </span>{{ unheard }}</div>
        <p v-if="open && !html && !ask" class="activity"><span class="dots" aria-hidden="true"><i></i><i></i><i></i></span>{{ doing }}</p>
        <div v-if="ask" class="ask" role="group" :aria-label="'Pace would ' + ask.would">
          <p class="ask-would" role="alert"><strong>{{ ask.careful ? "Careful: Pace would" : "Pace would" }}</strong> {{ ask.would }}.</p>
          <div class="ask-words">
            <button type="button" class="button small" @click="answer('once')">Allow once</button>
            <button v-if="ask.always" type="button" class="button small" @click="answer('always')">Always allow {{ ask.action }}</button>
            <button type="button" class="button small quiet" @click="answer('no')">Don't</button>
          </div>
        </div>
        <pre v-for="(text, at) in shown" :key="'shown' + at" class="brought" dir="auto" tabindex="0" aria-label="What the action brought">{{ text }}</pre>
        <p v-for="(text, at) in notices" :key="'notice' + at" class="mark">{{ text }}</p>
        <details v-if="thinks" class="thoughts" @toggle="opened($event)">
          <summary>Thoughts</summary>
          <div class="thoughts-text" dir="auto">{{ thoughts }}</div>
        </details>
        <p v-if="trouble" class="trouble"><strong>{{ status === "failed" ? "No reply." : "Then it failed." }}</strong> {{ trouble }}</p>
        <p v-if="marks" class="mark">{{ marks }}</p>
        <p v-if="times" class="times" title="From the end of your speech to the first sound, in seconds">{{ times }}</p>
        <div class="row-actions">
          <button v-for="name in actions" :key="name" type="button" class="button small quiet" @click="act(name)">{{ names[name] }}</button>
          <time v-if="!open" class="at">{{ at }}</time>
        </div>
      </div>
    </article>`,
  props: {
    turn: String,
    said: String,
    html: String,
    source: String,
    status: String,
    open: Boolean,
    activity: String,
    trouble: String,
    marks: String,
    unheard: String,
    times: String,
    at: String,
    actions: { type: Array, default: () => [] },
    ask: Object,
    shown: { type: Array, default: () => [] },
    notices: { type: Array, default: () => [] },
    thinks: Boolean,
    thoughts: String,
  },
  emits: ["act", "word", "thoughts"],
  data() {
    return {
      seconds: 0,
      copied: false,
      whole: false,
      // Made once for this row, so that pressing twice is asking once.
      again: newId(),
    };
  },
  computed: {
    words() {
      if (this.whole || this.said.length <= LONGEST) return this.said;
      // Never half of a character.
      return this.said.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, "") + "…";
    },
    doing() {
      if (this.activity && this.activity !== "thinking") return this.activity;
      return this.seconds ? `thinking, ${this.seconds} s` : "thinking";
    },
    names() {
      return {
        copy: this.copied ? "Copied" : "Copy",
        retry: "Retry",
        edit: "Edit",
        again: "Try again",
        dismiss: "Dismiss",
        continue: "Continue",
      };
    },
  },
  watch: {
    html() {
      this.$nextTick(this.draw);
    },
  },
  mounted() {
    this.draw();
    this.counting = setInterval(() => {
      if (!this.open || this.html) clearInterval(this.counting);
      else if (this.activity !== "waiting its turn") this.seconds = Math.floor((Date.now() - (this.since ??= Date.now())) / 1000);
    }, 250);
  },
  unmounted() {
    clearInterval(this.counting);
  },
  methods: {
    draw() {
      const place = this.$refs.reply;
      const next = document.createElement("template");
      next.innerHTML = this.html || "";
      const fresh = [...next.content.childNodes];
      const shown = [...place.childNodes];
      let same = 0;
      while (same < fresh.length && same < shown.length && fresh[same].isEqualNode(shown[same])) same += 1;
      shown.slice(same).forEach((node) => node.remove());
      place.append(...fresh.slice(same));
    },
    answer(word) {
      this.$emit("word", { call: this.ask.call, word });
    },
    opened(event) {
      // They are sent to whoever opens them, and to nobody else.
      this.$emit("thoughts", { open: event.target.open });
    },
    async act(name) {
      if (name !== "copy") {
        this.$emit("act", { name, turn: this.turn, id: this.again });
        return;
      }
      // Of static/window.js, which also knows a way without a secure address.
      this.copied = await window.copyText(this.source);
      setTimeout(() => (this.copied = false), 2000);
    },
  },
};


function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
