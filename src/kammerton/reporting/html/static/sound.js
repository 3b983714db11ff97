"use strict";
// What an item sounds like: the recording that the page has, an audio file that the reader chooses, which stays on the
// machine, or tones.

const DEGREES = [0, 2, 4, 5, 7, 9, 11];
const LETTERS = { C: 0, D: 2, E: 4, F: 5, G: 7, A: 9, B: 11 };
const QUALITIES = {
  maj: "1 3 5", min: "1 b3 5", dim: "1 b3 b5", aug: "1 3 #5", sus2: "1 2 5", sus4: "1 4 5", 1: "1", 5: "1 5",
  7: "1 3 5 b7", maj7: "1 3 5 7", min7: "1 b3 5 b7", dim7: "1 b3 b5 bb7", hdim7: "1 b3 b5 b7", minmaj7: "1 b3 5 7",
  maj6: "1 3 5 6", min6: "1 b3 5 6", 9: "1 3 5 b7 9", maj9: "1 3 5 7 9", min9: "1 b3 5 b7 9",
};
const AHEAD = 0.5; // seconds by which tones are planned
const RECORDING = -1; // among voices
const BEAT = 0.5; // seconds of a quarter note, where times are in these

/** Return how many semitones an interval such as `b7` spans. */
function semitones(degree) {
  const number = Number(degree.replace(/[#b]/g, "")) - 1;
  const sharps = degree.split("#").length - degree.split("b").length;
  return DEGREES[number % 7] + 12 * Math.floor(number / 7) + sharps;
}

/** Return the keys of a chord, none of no chord or of what is no label of Harte's. */
function keysOf(label) {
  const parts = /^([A-G])([#b]*)(?::([a-z0-9]*))?(?:\(([^)]*)\))?(?:\/([#b]*\d+))?$/.exec(label);
  if (parts === null) return [];
  const [, letter, accidentals, quality, list, bass] = parts;
  const root = 48 + LETTERS[letter] + accidentals.split("#").length - accidentals.split("b").length;
  const base = quality === "" ? "1" : (QUALITIES[quality ?? "maj"] ?? QUALITIES.maj);
  const degrees = new Set(base.split(" "));
  for (const degree of (list ?? "").split(",").map((text) => text.trim())) {
    if (degree.startsWith("*")) degrees.delete(degree.slice(1));
    else if (/^[#b]*\d+$/.test(degree)) degrees.add(degree);
  }
  const keys = [...degrees].map((degree) => root + 12 + semitones(degree));
  return [root + (bass === undefined ? 0 : semitones(bass) % 12), ...keys];
}

/** Plays from the cursor of a drawing on, and moves it along. */
class Player {
  constructor(view) {
    Object.assign(this, { view, file: null, tones: null, planned: 0, voice: 0 });
    this.button = tool("play", () => this.toggle(), "Play");
    const select = make("select", "");
    if (view.item.sound !== undefined) {
      select.append(new Option("the recording", RECORDING));
      this.take(view.item.sound);
    }
    view.heard().forEach((name, place) => select.append(new Option(name, place)));
    select.addEventListener("change", () => this.choose(Number(select.value)));
    const picker = make("input", "");
    set(picker, { type: "file", accept: "audio/*" });
    picker.addEventListener("change", () => this.open(picker.files[0]));
    const told = "Audio file (stays on this computer) ";
    this.element = make("div", "tools", this.button, make("label", "", "Hear ", select), make("label", "", told, picker));
  }

  get isPlaying() {
    return this.tones !== null || (this.file !== null && !this.file.paused);
  }

  get pace() {
    return this.view.unit === "s" ? 1 : BEAT;
  }

  toggle() {
    if (this.isPlaying) this.stop();
    else this.start();
  }

  choose(voice) {
    this.close();
    if (voice === RECORDING) this.take(this.view.item.sound);
    else this.voice = voice;
  }

  /** Take a file of the reader in place of tones. */
  open(file) {
    this.close();
    if (file === undefined) return;
    this.address = URL.createObjectURL(file);
    this.take(this.address);
  }

  /** Play what stands at an address in place of tones. */
  take(address) {
    this.file = new Audio(address);
    this.file.addEventListener("ended", () => this.stop());
    this.file.addEventListener("error", () => {
      this.close();
      say("This file cannot be played");
    });
  }

  start() {
    const from = this.view.time ?? this.view.from;
    if (this.file === null) {
      this.tones = new AudioContext();
      this.begin = this.tones.currentTime + 0.05 - from * this.pace;
      this.planned = from;
    } else {
      this.file.currentTime = from;
      this.file.play().catch(() => this.stop());
    }
    this.button.textContent = "Pause";
    this.tick();
  }

  get now() {
    return this.tones === null ? this.file.currentTime : (this.tones.currentTime - this.begin) / this.pace;
  }

  /** Move the cursor along, and plan the tones that come next. */
  tick() {
    if (this.tones === null && this.file === null) return;
    if (this.tones !== null) this.plan();
    this.view.follow(Math.max(this.now, 0));
    if (this.now >= this.view.end) this.stop();
    else if (this.button.textContent === "Pause") this.timer = requestAnimationFrame(() => this.tick());
  }

  plan() {
    const until = this.now + AHEAD / this.pace;
    for (const { start, end, keys } of this.view.sounds(this.voice)) {
      const begin = Math.max(start, this.planned);
      const isDue = start >= this.planned || this.planned === this.view.time;
      if (begin < until && end > begin && isDue && begin >= this.planned) this.sound(keys, begin, end);
    }
    this.planned = until;
  }

  sound(keys, start, end) {
    const [from, to] = [start, end].map((time) => Math.max(this.begin + time * this.pace, this.tones.currentTime));
    const gain = this.tones.createGain();
    const loud = 0.25 / Math.sqrt(Math.max(keys.length, 1));
    gain.gain.setValueAtTime(0, from);
    gain.gain.linearRampToValueAtTime(loud, from + 0.02);
    gain.gain.setValueAtTime(loud, Math.max(to - 0.05, from + 0.02));
    gain.gain.linearRampToValueAtTime(0, to);
    gain.connect(this.tones.destination);
    for (const key of keys) {
      const tone = this.tones.createOscillator();
      tone.type = "triangle";
      tone.frequency.value = 440 * 2 ** ((key - 69) / 12);
      tone.connect(gain);
      tone.start(from);
      tone.stop(to);
    }
  }

  stop() {
    cancelAnimationFrame(this.timer);
    this.button.textContent = "Play";
    this.file?.pause();
    this.tones?.close();
    this.tones = null;
    this.view.tell();
  }

  /** Let go of everything: another item is looked at, or another file is heard. */
  close() {
    this.stop();
    if (this.address !== undefined) URL.revokeObjectURL(this.address);
    this.file = null;
  }
}
