// The page's side of the sound connection: it lends Pace this tab's microphone and loudspeaker, for
// as long as Pace asks for them, and keeps nothing of what it hears.
const WORKLETS = "/static/voice-worklets.js";
const PATH = "/voice";
const HEAD_BYTES = 8;
// More than a second that was not sent yet is sound of the past.
const MOST_WAITING = 32 * 1024;
const STARTS_WITHIN = 2000;
const WISHES = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };
const STATES = {
  NotAllowedError: "refused",
  SecurityError: "refused",
  NotFoundError: "missing",
  OverconstrainedError: "missing",
};

export function canTalk() {
  return Boolean(navigator.mediaDevices?.getUserMedia && window.AudioWorkletNode);
}

export class VoiceLink {
  // `tell` hears: shown(state), live(is), level(dBFS), sounding(dBFS), closed().
  constructor(tell) {
    this.tell = tell;
    this.wanted = 0;
    this.stream = null;
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  // While the person presses something, since a browser plays nothing before that.
  wake() {
    if (!this.context) {
      this.context = new AudioContext({ latencyHint: "interactive" });
      this.loaded = this.context.audioWorklet.addModule(WORKLETS).then(() => this.play());
      this.loaded.catch(() => this.order({ kind: "no-sound" }));
    }
    if (this.context.state !== "running") this.context.resume().catch(() => {});
  }

  async connect(ticket) {
    this.hangUp();
    await this.loaded;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${PATH}?ticket=${encodeURIComponent(ticket)}`);
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      if (this.socket !== socket) return;
      if (typeof data === "string") this.take(JSON.parse(data));
      else this.hear(data);
    };
    socket.onclose = () => {
      if (this.socket === socket) this.end();
    };
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("close", reject, { once: true });
    });
  }

  order(order) {
    if (this.isOpen) this.socket.send(JSON.stringify(order));
  }

  hangUp() {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  end() {
    this.socket = null;
    this.release();
    this.speaker?.port.postMessage({ kind: "stop", id: 0 });
    this.context?.suspend();
    this.tell.closed();
  }

  // --- what Pace wants

  take(order) {
    switch (order.kind) {
      case "state":
        this.tell.shown(order);
        break;
      case "open":
        this.wanted = order.id;
        this.listen(order.id);
        break;
      case "close":
        if (this.wanted === order.id) this.release();
        break;
      default:
        this.speaker.port.postMessage(order);
    }
  }

  hear(data) {
    const head = new DataView(data, 0, HEAD_BYTES);
    const samples = data.slice(HEAD_BYTES);
    const sound = { kind: "sound", id: head.getUint32(0, true), rate: head.getUint32(4, true), samples };
    this.speaker.port.postMessage(sound, [samples]);
    if (this.context.state !== "running") this.awaitRunning();
  }

  // --- the loudspeaker

  play() {
    this.speaker = new AudioWorkletNode(this.context, "pace-speaker", {
      numberOfInputs: 0,
      outputChannelCount: [1],
    });
    this.speaker.connect(this.context.destination);
    this.speaker.port.onmessage = ({ data }) => {
      this.order(data);
      this.tell.sounding(data.level);
      // It changes when another loudspeaker is chosen.
      const seconds = this.context.outputLatency || this.context.baseLatency || 0;
      this.speaker.port.postMessage({ kind: "latency", seconds });
    };
    const seconds = this.context.outputLatency || this.context.baseLatency || 0;
    this.speaker.port.postMessage({ kind: "latency", seconds });
  }

  awaitRunning() {
    if (this.waking) return;
    this.context.resume().catch(() => {});
    this.waking = setTimeout(() => {
      this.waking = 0;
      if (this.context.state !== "running") this.order({ kind: "no-sound" });
    }, STARTS_WITHIN);
  }

  // --- the microphone

  async listen(id) {
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: WISHES });
    } catch (error) {
      this.say(id, STATES[error.name] ?? "busy");
      return;
    }
    if (this.wanted !== id || !this.isOpen) {
      stopped(stream);
      return;
    }
    stopped(this.stream);
    this.stream = stream;
    this.context.resume().catch(() => {});
    stream.getAudioTracks().forEach((track) => {
      track.onended = () => {
        if (this.stream === stream) this.say(id, "ended");
      };
    });
    this.source = this.context.createMediaStreamSource(stream);
    // One channel: several are mixed by the browser.
    this.ears = new AudioWorkletNode(this.context, "pace-microphone", {
      numberOfOutputs: 1,
      outputChannelCount: [1],
      channelCount: 1,
      channelCountMode: "explicit",
    });
    this.ears.port.onmessage = ({ data }) => {
      if (this.stream !== stream || !this.isOpen) return;
      if (this.socket.bufferedAmount <= MOST_WAITING) this.socket.send(data.samples);
      this.tell.level(data.level);
    };
    this.source.connect(this.ears);
    // Nothing comes out of it; it is heard because it leads somewhere.
    this.ears.connect(this.context.destination);
    this.say(id, "open");
    this.tell.live(true);
  }

  say(id, state) {
    this.order({ kind: "microphone", id, state });
    if (state !== "open") this.release();
  }

  release() {
    this.wanted = 0;
    this.source?.disconnect();
    this.ears?.disconnect();
    if (this.ears) this.ears.port.onmessage = null;
    this.ears?.port.postMessage("over");
    stopped(this.stream);
    this.stream = this.source = this.ears = null;
    this.tell.live(false);
  }
}

function stopped(stream) {
  stream?.getTracks().forEach((track) => track.stop());
}
