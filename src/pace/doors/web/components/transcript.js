// The list of turns. It follows the newest words only while its end is in sight.
const NEAR = 64;

export default {
  template: `
    <div class="transcript">
      <div class="scroller" ref="scroller" role="log" aria-label="Conversation" tabindex="0" @scroll.passive="look">
        <div class="lines" ref="lines"><slot></slot></div>
      </div>
      <button v-show="!atEnd" type="button" class="button latest" @click="toEnd">Jump to latest</button>
    </div>`,
  data() {
    return { atEnd: true };
  },
  mounted() {
    this.watching = new ResizeObserver(() => {
      if (this.atEnd) this.follow();
      else this.look();
    });
    this.watching.observe(this.$refs.lines);
    this.watching.observe(this.$refs.scroller);
    this.follow();
  },
  unmounted() {
    this.watching.disconnect();
  },
  methods: {
    look() {
      const { scrollHeight, scrollTop, clientHeight } = this.$refs.scroller;
      this.atEnd = scrollHeight - scrollTop - clientHeight < NEAR;
    },
    follow() {
      const scroller = this.$refs.scroller;
      scroller.scrollTop = scroller.scrollHeight;
    },
    toEnd() {
      this.atEnd = true;
      this.follow();
    },
  },
};
