"use strict";
// Notes on a keyboard, hand by hand, with the fingers of one voice, and where they cannot be played.

const NO_KEY = 61; // where all notes lie if no key is known: not on a C, which would be named
const SEMITONE = 5;
const NOTE = 12;
const DIGIT = 7.6; // pixels of a character on a note, about
const BETWEEN_ONSETS = 28; // pixels that are asked for, so that fingers can be read

/** Hands in the order of drawing: the name of each, and the letter that its fingers have. */
const HANDS = { r: ["right hand", "R"], l: ["left hand", "L"], "-": ["either hand", ""] };

class PianoRoll extends OverTime {
  constructor(item) {
    const { roll } = item;
    const onsets = timesOf(roll.onsets);
    const notes = onsets.map((onset, number) => ({
      number,
      onset,
      offset: onset + roll.lengths[number] / 1000,
      pitch: roll.pitches[number],
      name: item.texts[roll.names[number]],
      hand: roll.hands[number],
    }));
    const end = Math.max(...notes.map((note) => note.offset), onsets.at(-1) + 1);
    super(end, item.unit, `Notes of ${item.texts[item.name]}`);
    Object.assign(this, { item, roll, notes, note: null });
    this.order = notes.toSorted((one, other) => one.onset - other.onset || one.pitch - other.pitch);
    const names = roll.voices.map((voice) => item.texts[voice.name]);
    const best = names.indexOf(item.system, roll.references);
    this.voice = best < 0 ? Math.min(roll.references, roll.voices.length - 1) : best;
    this.panels = this.layOut();
    this.legend = make("p", "legend");
    this.element.append(this.legend, this.counts());
    this.play();
    this.offer("Fingers of ", names, this.voice, (voice) => this.listen(voice));
    this.nameHands();
    this.tellStates();
  }

  /** Return where each hand is drawn: its top, and its highest and lowest key. */
  layOut() {
    let top = TOP;
    const panels = {};
    for (const hand of Object.keys(HANDS)) {
      const pitches = this.notes.filter((note) => note.hand === hand).map((note) => note.pitch);
      if (pitches.length === 0) continue;
      const keys = pitches.filter((pitch) => pitch >= 0);
      const [low, high] = keys.length ? [Math.min(...keys), Math.max(...keys)] : [NO_KEY, NO_KEY];
      panels[hand] = { top, low, high, bottom: top + (high - low) * SEMITONE + NOTE + 14 };
      top = panels[hand].bottom;
    }
    this.height = top;
    return panels;
  }

  /** Return the width in which the fingers of one onset are told from those of the next. */
  get opening() {
    const onsets = [...new Set(this.order.map((note) => note.onset))];
    const gaps = onsets.slice(1).map((onset, place) => onset - onsets[place]);
    const middle = gaps.toSorted((one, other) => one - other)[Math.floor(gaps.length / 2)];
    return middle > 0 ? (this.pane.clientWidth * middle) / BETWEEN_ONSETS : this.end;
  }

  get subject() {
    return this.item.texts[this.roll.voices[this.voice].name];
  }

  /** Return the notes that are wrong or cannot be played, and what is said of them. */
  mistakes() {
    const voice = this.roll.voices[this.voice];
    const flagged = new Set(voice.flagged);
    return this.order
      .filter(({ number }) => "23".includes(voice.states[number]) || flagged.has(number))
      .map((note) => {
        const state = voice.states[note.number];
        const finger = this.finger(voice, note);
        const told = "23".includes(state) ? `${finger}≠${this.wanted(note, finger)}, ${toldState(this.item, state)}` : finger;
        const parts = [told, ...this.reasons(voice, note.number)].join("; ");
        return { start: note.onset, end: note.offset, state: "23".includes(state) ? state : "6", told: [`${note.name}: ${parts}`] };
      });
  }

  heard() {
    return ["all notes", ...Object.keys(this.panels).map((hand) => HANDS[hand][0])];
  }

  sounds(place) {
    const hand = place === 0 ? undefined : Object.keys(this.panels)[place - 1];
    return this.order
      .filter((note) => note.pitch >= 0 && (hand === undefined || note.hand === hand))
      .map((note) => ({ start: note.onset, end: note.offset, keys: [note.pitch] }));
  }

  /** Move a line to what is heard. */
  follow(time) {
    this.time = time;
    const x = this.x(time).toFixed(1);
    set(this.head, { x1: x, x2: x });
    this.show(time);
  }

  /** Choose the first note of a time. */
  seek(time) {
    const note = this.order.find(({ onset }) => onset >= time - 1e-9);
    if (note !== undefined) this.choose(note);
  }

  listen(voice) {
    this.voice = voice;
    this.tellStates();
    this.paint();
    this.tellMistakes();
    this.frame();
    this.tell();
  }

  /** Name the hands and their octaves beside the drawing. */
  nameHands() {
    const width = 128;
    const svg = draw("svg", { width, height: this.height, viewBox: `0 0 ${width} ${this.height}` });
    for (const [hand, panel] of Object.entries(this.panels)) {
      svg.append(draw("text", { class: "hand", x: 8, y: panel.top + 10 }, HANDS[hand][0]));
      for (let pitch = 12 * Math.ceil(panel.low / 12); pitch <= panel.high; pitch += 12) {
        const y = this.y({ hand, pitch }) + NOTE - 2;
        svg.append(draw("text", { class: "tick end", x: width - 8, y }, `C${pitch / 12 - 1}`));
      }
    }
    this.names.classList.add("hands");
    this.names.replaceChildren(svg);
  }

  y(note) {
    const panel = this.panels[note.hand];
    const pitch = note.pitch < 0 ? panel.low : note.pitch;
    return panel.top + 2 + (panel.high - pitch) * SEMITONE;
  }

  /** Return what stands for a finger on a note: the hand only where it is the other one. */
  finger(voice, note) {
    const text = this.item.texts[voice.fingers[note.number]];
    const letter = HANDS[note.hand][1];
    return letter && text.startsWith(letter) ? text.slice(1) : text;
  }

  /** Return the fingers of the annotators for a note that are not this one, each once. */
  wanted(note, given) {
    const annotators = this.roll.voices.slice(0, this.roll.references);
    const fingers = new Set(annotators.map((voice) => this.finger(voice, note)));
    fingers.delete(given);
    return [...fingers].join("/");
  }

  paint() {
    const svg = this.sheet(this.height);
    for (const [hand, panel] of Object.entries(this.panels)) this.paintKeys(svg, hand, panel);
    const voice = this.roll.voices[this.voice];
    const flagged = new Set(voice.flagged);
    for (const [first, second] of voice.violations) {
      const [one, other] = [this.notes[first], this.notes[second]];
      const ends = { x1: this.x(one.onset) + 4, x2: this.x(other.onset) + 4 };
      const heights = { y1: this.y(one) + NOTE / 2, y2: this.y(other) + NOTE / 2 };
      svg.append(draw("line", { class: "violation", ...ends, ...heights }));
    }
    for (const note of this.order) this.paintNote(svg, voice, note, flagged.has(note.number));
    this.cursor = draw("rect", { class: "around", width: 0, height: 0 });
    this.head = draw("line", { class: "cursor", y1: 12, y2: this.height, x1: -9, x2: -9 });
    svg.append(this.cursor, this.head);
    this.pane.replaceChildren(svg);
    this.mark();
  }

  paintKeys(svg, hand, panel) {
    const right = this.x(this.end);
    svg.append(draw("line", { class: "edge", x1: 0, x2: right, y1: panel.bottom, y2: panel.bottom }));
    for (let pitch = 12 * Math.ceil(panel.low / 12); pitch <= panel.high; pitch += 12) {
      const y = this.y({ hand, pitch }) + NOTE / 2;
      svg.append(draw("line", { class: "grid", x1: 0, x2: right, y1: y, y2: y }));
    }
  }

  width(note) {
    return Math.max(this.x(note.offset) - this.x(note.onset) - 1, 9);
  }

  paintNote(svg, voice, note, flagged) {
    const [x, y, width] = [this.x(note.onset), this.y(note), this.width(note)];
    const state = voice.states[note.number];
    const place = { x: x.toFixed(1), y, width: width.toFixed(1), height: NOTE, rx: 2 };
    svg.append(draw("rect", { class: `note note-${state}${flagged ? " flagged" : ""}`, ...place }));
    const text = this.finger(voice, note);
    const full = state === "0" || state === "1" ? text : `${text}≠${this.wanted(note, text)}`;
    const fits = full.length * DIGIT + 2 <= width ? full : text;
    if (fits.length * DIGIT + 1 > width) return;
    svg.append(draw("text", { class: `finger finger-${state}`, x: (x + 2).toFixed(1), y: y + 10 }, fits));
  }

  /** Show what the states of the notes mean, of those that the voice has. */
  tellStates() {
    const voice = this.roll.voices[this.voice];
    const samples = this.item.legend
      .filter(([code]) => (code === "" ? voice.flagged.length > 0 : voice.states.includes(code)))
      .map(([code, told]) => {
        const svg = draw("svg", { width: 18, height: 14, "aria-hidden": "true" });
        const kind = code === "" ? "note-0 flagged" : `note-${code}`;
        svg.append(draw("rect", { class: `note ${kind}`, x: 1, y: 1, width: 16, height: 12, rx: 2 }));
        return make("span", "sample", svg, this.item.texts[told]);
      });
    const wrong = [..."23"].some((state) => voice.states.includes(state));
    if (wrong) samples.push(make("span", "", "1≠2: finger 1 where an annotator has 2"));
    this.legend.replaceChildren(...samples);
  }

  /** Count the notes of each voice by what became of them. */
  counts() {
    const { legend, texts } = this.item;
    const among = (voice, code) =>
      code === "" ? voice.flagged.length : [...voice.states].filter((state) => state === code).length;
    const { voices } = this.roll;
    const kinds = legend.filter(([code]) => voices.some((voice) => among(voice, code) > 0));
    if (kinds.length === 0) return make("div", "");
    const heads = [{ text: "Notes" }, ...kinds.map(([, told]) => ({ text: texts[told], number: true }))];
    const rows = voices.map((voice) => [
      { parts: [make("bdi", "", texts[voice.name])] },
      ...kinds.map(([code]) => ({ text: `${among(voice, code)}`, number: true })),
    ]);
    return make("div", "scroll", simpleTable("totals", "", heads, rows));
  }

  /** Choose the note that lies there, or the nearest within a few pixels. */
  point(time, y) {
    let [nearest, least] = [null, 12];
    for (const note of this.order) {
      const left = this.x(note.onset - time);
      const top = this.y(note) - y;
      const [aside, above] = [Math.max(left, -left - this.width(note), 0), Math.max(top, -top - NOTE, 0)];
      if (aside + above < least) [nearest, least] = [note, aside + above];
    }
    if (nearest !== null && nearest !== this.note) this.choose(nearest);
  }

  choose(note) {
    this.note = note;
    if (!this.player.isPlaying) this.time = note.onset;
    this.mark();
    this.tell();
  }

  /** Go to the next onset of the hand, or to the next key that sounds with the note. */
  move(by, up) {
    if (this.note === null) {
      this.choose(this.order[0]);
    } else if (by) {
      const own = this.order.filter((note) => note.hand === this.note.hand && (note.onset - this.note.onset) * by > 0);
      const onset = by > 0 ? own[0]?.onset : own.at(-1)?.onset;
      const there = own.filter((note) => note.onset === onset);
      const far = (note) => Math.abs(note.pitch - this.note.pitch);
      there.sort((one, other) => far(one) - far(other));
      if (there.length > 0) this.choose(there[0]);
    } else {
      const there = this.order.filter((note) => note.onset === this.note.onset);
      const next = there[there.indexOf(this.note) + up];
      if (next !== undefined) this.choose(next);
    }
    this.show(this.note.onset);
  }

  /** Go to the next note that is wrong or cannot be played, the first one behind the last. */
  find() {
    const voice = this.roll.voices[this.voice];
    const flagged = new Set(voice.flagged);
    const wrong = this.order.filter(({ number }) => "23".includes(voice.states[number]) || flagged.has(number));
    if (wrong.length === 0) {
      say("Nothing is wrong");
      return;
    }
    const from = this.note === null ? -1 : this.order.indexOf(this.note);
    this.choose(wrong.find((note) => this.order.indexOf(note) > from) ?? wrong[0]);
    this.show(this.note.onset);
  }

  mark() {
    if (this.note === null) return;
    const around = { x: this.x(this.note.onset) - 2, y: this.y(this.note) - 2 };
    const size = { width: this.width(this.note) + 4, height: NOTE + 4, rx: 3 };
    set(this.cursor, { ...around, ...size });
  }

  /** Say which finger everybody has for the note. */
  tell() {
    if (this.note === null) return;
    const { number, name, hand, onset } = this.note;
    const where = `${name}, ${HANDS[hand][0]}, at ${printedTime(onset, this.item.unit, 2)}`;
    const heads = [{ text: where }, { text: "finger" }, { text: "judged" }, { text: "cannot be played" }];
    const rows = this.roll.voices.map((voice, place) => [
      { parts: [make("bdi", "", this.item.texts[voice.name])] },
      { parts: [make("code", "", this.item.texts[voice.fingers[number]])] },
      { text: place < this.roll.references ? "" : toldState(this.item, voice.states[number]) },
      { parts: this.reasons(voice, number).map((reason) => make("div", "", reason)) },
    ]);
    this.readout.replaceChildren(simpleTable("", "", heads, rows));
  }

  reasons(voice, number) {
    return voice.violations
      .filter(([first, second]) => first === number || second === number)
      .map(([, , reason]) => this.item.texts[reason]);
  }
}
