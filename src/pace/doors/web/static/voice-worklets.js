// What runs beside the page for every quantum of sound: the microphone's samples made Pace's own,
// and Pace's made the loudspeaker's. Both know to the sample where they are.
const HEARD_RATE = 16000;
const CHUNK = 512;
// Zero crossings of the filter on either side, and places between two of them that are looked up.
const CROSSINGS = 12;
const PLACES = 512;
// So much of the band is passed; the rest is where the filter falls.
const PASSED = 0.94;
const SILENCE = -100;
const REPORT_SECONDS = 0.04;
// As short as a step can be that is no click.
const RAMP_SECONDS = 0.003;

const FILTER = Float32Array.from({ length: CROSSINGS * PLACES + 2 }, (_, at) => {
  const x = at / PLACES;
  if (x >= CROSSINGS) return 0;
  const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
  const around = Math.PI * (x / CROSSINGS);
  return sinc * (0.42 + 0.5 * Math.cos(around) + 0.08 * Math.cos(2 * around));
});

// Any rate to any other, piece by piece, as if it were one sound: a windowed sinc, which also keeps
// out what the slower rate cannot hold.
class Resampler {
  constructor(from, to) {
    this.step = from / to;
    this.cutoff = PASSED * Math.min(1, to / from);
    this.half = Math.ceil(CROSSINGS / this.cutoff);
    // Silence came before the first sample.
    this.held = new Float32Array(this.half);
    this.at = this.half;
  }

  push(samples) {
    const input = new Float32Array(this.held.length + samples.length);
    input.set(this.held);
    input.set(samples, this.held.length);
    const made = [];
    const { half, cutoff } = this;
    for (; this.at + half < input.length; this.at += this.step) {
      const first = Math.floor(this.at) - half + 1;
      let sum = 0;
      for (let k = Math.max(0, first); k <= first + 2 * half - 1; k += 1) {
        const place = Math.abs(k - this.at) * cutoff * PLACES;
        const below = Math.floor(place);
        if (below > CROSSINGS * PLACES) continue;
        sum += input[k] * (FILTER[below] + (FILTER[below + 1] - FILTER[below]) * (place - below));
      }
      made.push(sum * cutoff);
    }
    const passed = Math.max(0, Math.min(input.length, Math.floor(this.at) - half));
    this.held = input.slice(passed);
    this.at -= passed;
    return Float32Array.from(made);
  }
}

function dbfs(power) {
  return power > 0 ? Math.max(SILENCE, 10 * Math.log10(power)) : SILENCE;
}

class PaceMicrophone extends AudioWorkletProcessor {
  constructor() {
    super();
    this.resampler = new Resampler(sampleRate, HEARD_RATE);
    this.isOver = false;
    this.port.onmessage = () => { this.isOver = true; };
    this.begin();
  }

  begin() {
    this.chunk = new Int16Array(CHUNK);
    this.filled = 0;
    this.power = 0;
  }

  process([input]) {
    if (this.isOver || !input.length) return !this.isOver;
    for (const sample of this.resampler.push(input[0])) {
      const clamped = Math.max(-1, Math.min(1, sample));
      this.chunk[this.filled] = Math.round(clamped * 32767);
      this.power += clamped * clamped;
      this.filled += 1;
      if (this.filled === CHUNK) {
        const level = dbfs(this.power / CHUNK);
        this.port.postMessage({ samples: this.chunk.buffer, level }, [this.chunk.buffer]);
        this.begin();
      }
    }
    return true;
  }
}

class PaceSpeaker extends AudioWorkletProcessor {
  constructor() {
    super();
    this.id = 0;
    this.latency = 0;
    this.tail = 0;
    this.begin();
    this.port.onmessage = ({ data }) => this.take(data);
  }

  begin() {
    this.queue = [];
    this.place = 0;
    this.isPaused = false;
    this.gain = 1;
    this.given = 0;
    this.done = 0;
    // What was given to the device lately, since that sounds a little later.
    this.passing = [];
    this.sounded = { given: 0, done: 0 };
    this.since = 0;
    this.power = 0;
    this.counted = 0;
    this.resampler = null;
    this.isTold = true;
  }

  take(data) {
    if (data.kind === "sound" && data.id === this.id) this.put(data);
    else if (data.kind === "pause") this.isPaused = true;
    else if (data.kind === "resume") this.isPaused = false;
    else if (data.kind === "latency") this.latency = data.seconds;
    else if (data.kind === "stop") {
      this.begin();
      this.id = data.id;
    }
  }

  put({ rate, samples }) {
    if (this.resampler?.rate !== rate) {
      this.resampler = new Resampler(rate, sampleRate);
      this.resampler.rate = rate;
    }
    const sound = Float32Array.from(new Int16Array(samples), (value) => value / 32768);
    this.queue.push(this.resampler.push(sound));
    this.isTold = false;
  }

  next() {
    while (this.queue.length && this.place >= this.queue[0].length) {
      this.queue.shift();
      this.place = 0;
      this.done += 1;
    }
    if (!this.queue.length) return null;
    this.given += 1;
    this.place += 1;
    return this.queue[0][this.place - 1];
  }

  process(inputs, [[output]]) {
    const ramp = 1 / (RAMP_SECONDS * sampleRate);
    for (let at = 0; at < output.length; at += 1) {
      this.gain = this.isPaused ? Math.max(0, this.gain - ramp) : Math.min(1, this.gain + ramp);
      const sample = this.isPaused && this.gain === 0 ? null : this.next();
      if (sample !== null) this.tail = sample * this.gain;
      else this.tail = Math.abs(this.tail) < 1e-4 ? 0 : this.tail * 0.98;
      output[at] = this.tail;
      this.power += this.tail * this.tail;
    }
    this.counted += output.length;
    this.since += output.length;
    this.passing.push({ given: this.given, done: this.done });
    const most = Math.ceil((this.latency * sampleRate) / output.length);
    while (this.passing.length > most) this.sounded = this.passing.shift();
    if (!this.isTold && this.since >= REPORT_SECONDS * sampleRate) this.report();
    return true;
  }

  report() {
    this.since = 0;
    const { given, done } = this.sounded;
    this.port.postMessage({
      kind: "sounding",
      id: this.id,
      played: given / sampleRate,
      level: dbfs(this.power / this.counted),
      pieces: done,
    });
    this.power = this.counted = 0;
    this.isTold = !this.queue.length && done === this.done;
  }
}

registerProcessor("pace-microphone", PaceMicrophone);
registerProcessor("pace-speaker", PaceSpeaker);
