"use strict";
// Rows of labels over time, one for each annotator and system, and below each what of it is wrong.

/** What became of a stretch of time: how it is called, and how high it is drawn, so that grey suffices. */
const STATES = {
  1: { told: "not scored", height: 3 },
  2: { told: "wrong", height: 12 },
  3: { told: "partly wrong", height: 8 },
  4: { told: "wrong root", height: 12 },
  5: { told: "wrong quality", height: 8 },
  6: { told: "wrong bass", height: 5 },
  7: { told: "chord or no chord", height: 12 },
};
const ROLES = { reference: "judges", other: "annotator", system: "" };
const ROW = 26;
const LANE = 14;
const TOP = 20;
const CHARACTER = 6.7; // pixels of a letter, about

/** Say how a state is called in an item. */
function toldState(item, state) {
  const own = item.legend.find(([code]) => code === state);
  return own === undefined ? (STATES[state]?.told ?? "right") : item.texts[own[1]];
}

/** Return a sample of a state with its name. */
function sample(state, told) {
  const { height } = STATES[state];
  const svg = draw("svg", { width: 16, height: 12, "aria-hidden": "true" });
  svg.append(draw("rect", { class: `state-${state}`, x: 0.5, y: 12 - height, width: 15, height }));
  return make("span", "sample", svg, told);
}

class Timeline extends OverTime {
  constructor(item) {
    const tracks = item.tracks.map((track) => Timeline.read(track));
    const end = Math.max(...tracks.map((track) => Math.max(0, ...track.edges.slice(-1))), 1e-3);
    super(end, item.unit, `Timeline of ${item.texts[item.name]}`);
    const systems = tracks.filter((track) => track.role === "system");
    const best = systems.findIndex((track) => item.texts[track.name] === item.system);
    Object.assign(this, { item, tracks, systems, measure: item.chosen, judged: systems[Math.max(best, 0)] });
    this.beats = timesOf(item.beats ?? []);
    this.stops = this.boundaries();
    this.totals = make("div", "scroll");
    this.legend = make("p", "legend");
    if (item.measures.length > 1) {
      const measures = item.measures.map((measure) => item.texts[measure]);
      this.offer("Judged by ", measures, this.measure, (measure) => this.judge(measure));
    }
    if (systems.length > 1) {
      const names = systems.map((track) => item.texts[track.name]);
      this.offer("Mistakes of ", names, Math.max(best, 0), (place) => this.judgeSystem(systems[place]));
    }
    this.play();
    this.element.append(this.legend, this.totals);
    for (const track of tracks) this.names.append(this.name(track));
    this.count();
  }

  static read(track) {
    const [edges, said] = track.marks ?? [[], []];
    return { ...track, edges: timesOf(track.edges ?? []), labels: track.labels ?? [], turns: timesOf(edges), said };
  }

  judge(measure) {
    this.measure = measure;
    this.count();
    this.paint();
    this.tellMistakes();
    this.frame();
    this.tell();
  }

  judgeSystem(track) {
    this.judged = track;
    this.tellMistakes();
    this.frame();
  }

  get subject() {
    return this.judged === undefined ? "" : this.item.texts[this.judged.name];
  }

  /** Return what is wrong with a system: from when to when, and what is said of it. */
  mistakes() {
    const wrong = [];
    if (this.judged === undefined) return wrong;
    const pair = [this.tracks[0], this.judged];
    const changes = [];
    for (const track of pair) this.eachRun(track, (start) => changes.push(start));
    changes.sort((one, other) => one - other);
    this.eachMark(this.judged, (start, end, state) => {
      if (state === "1") return;
      const cuts = [start, ...changes.filter((time) => time > start + 1e-9 && time < end - 1e-9), end];
      cuts.slice(1).forEach((until, place) => {
        if (until - cuts[place] < 1e-9) return;
        const [reference, system] = pair.map((track) => this.labelAt(track, cuts[place]));
        const told = [make("code", "", reference), " → ", make("code", "", system), ` ${toldState(this.item, state)}`];
        wrong.push({ start: cuts[place], end: until, state, told });
      });
    });
    return wrong;
  }

  labelAt(track, time) {
    const label = track.labels[lastUpTo(track.edges, time + 1e-9)] ?? -1;
    return label < 0 ? "nothing" : this.item.texts[label];
  }

  heard() {
    return this.tracks.map((track) => this.item.texts[track.name]);
  }

  sounds(place) {
    const sounds = [];
    const { texts } = this.item;
    this.eachRun(this.tracks[place], (start, end, label) => sounds.push({ start, end, keys: keysOf(texts[label]) }));
    return sounds;
  }

  /** Move the cursor to what is heard. */
  follow(time) {
    this.time = time;
    this.mark();
    this.show(time);
  }

  seek(time) {
    this.point(time);
  }

  name(track) {
    const name = make("bdi", "", this.item.texts[track.name]);
    const told = track.note === undefined ? ROLES[track.role] : this.item.texts[track.note];
    const label = make("div", `name ${track.role}`, name, make("span", "soft", told));
    label.title = name.textContent;
    return label;
  }

  /** Return the times at which anything changes. */
  boundaries() {
    const all = this.tracks.flatMap((track) => [...track.edges, ...track.turns]);
    return [...new Set(all)].toSorted((one, other) => one - other).filter((time) => time < this.end);
  }

  /** Return what is said of a stretch of a track that begins at a turn. */
  stateOf(track, turn) {
    return turn < 0 ? "0" : this.item.texts[track.said[turn]][this.measure];
  }

  /** Call a function for each stretch of a track that is not right. */
  eachMark(track, call) {
    track.turns.forEach((start, turn) => {
      const state = this.stateOf(track, turn);
      const end = track.turns[turn + 1] ?? this.end;
      if (state !== "0" && end > start) call(start, end, state);
    });
  }

  /** Call a function for each stretch of rows with one label, as those of each beat have. */
  eachRun(track, call) {
    let first = 0;
    track.labels.forEach((label, place) => {
      if (label === track.labels[place + 1]) return;
      if (label >= 0) call(track.edges[first], track.edges[place + 1], label);
      first = place + 1;
    });
  }

  /** Sum time by what is wrong, for each track that is judged. */
  count() {
    const judged = this.tracks.filter((track) => track.turns.length > 0);
    const sums = judged.map((track) => {
      const sum = {};
      this.eachMark(track, (start, end, state) => {
        sum[state] = (sum[state] ?? 0) + end - start;
      });
      return sum;
    });
    const states = Object.keys(STATES).filter((state) => sums.some((sum) => sum[state] > 0));
    this.legend.replaceChildren(...states.map((state) => sample(state, toldState(this.item, state))));
    const told = (number) => ({ text: number === undefined ? "–" : `${number.toFixed(1)} ${this.unit}`, number: true });
    const heads = [{ text: "Time" }, ...states.map((state) => ({ text: toldState(this.item, state), number: true }))];
    const rows = judged.map((track, place) => [
      { parts: [make("bdi", "", this.item.texts[track.name])] },
      ...states.map((state) => told(sums[place][state])),
    ]);
    this.totals.replaceChildren(...(states.length ? [simpleTable("totals", "", heads, rows)] : []));
  }

  paint() {
    const height = TOP + this.tracks.length * (ROW + LANE);
    const svg = this.sheet(height);
    for (const beat of this.beats) {
      const x = this.x(beat).toFixed(1);
      svg.append(draw("line", { class: "beat", x1: x, x2: x, y1: 14, y2: 19 }));
    }
    this.tracks.forEach((track, place) => this.paintTrack(svg, track, TOP + place * (ROW + LANE)));
    this.cursor = draw("line", { class: "cursor", y1: 12, y2: height, x1: -9, x2: -9 });
    svg.append(this.cursor);
    this.pane.replaceChildren(svg);
    this.mark();
  }

  paintTrack(svg, track, y) {
    track.labels.forEach((label, place) => {
      if (label < 0) return;
      const [start, end] = [this.x(track.edges[place]), this.x(track.edges[place + 1])];
      const width = Math.max(end - start, 0.3);
      svg.append(draw("rect", { class: `span ${track.role}`, x: start.toFixed(1), y, width: width.toFixed(1), height: ROW - 4 }));
    });
    this.eachRun(track, (start, end, label) => {
      const text = this.item.texts[label];
      if (text.length * CHARACTER + 6 > this.x(end - start)) return;
      svg.append(draw("text", { class: "label", x: (this.x(start) + 4).toFixed(1), y: y + 15 }, text));
    });
    this.eachMark(track, (start, end, state) => {
      const { height } = STATES[state];
      const width = Math.max(this.x(end) - this.x(start), 0.8).toFixed(1);
      svg.append(draw("rect", { class: `state-${state}`, x: this.x(start).toFixed(1), y: y + ROW - 3, width, height }));
    });
  }

  point(time) {
    this.time = Math.min(Math.max(time, 0), this.end);
    this.mark();
    this.tell();
  }

  /** Go to the next or the previous time at which anything changes. */
  move(by) {
    if (by === 0 || this.stops.length === 0) return;
    const now = this.time === null ? -1 : lastUpTo(this.stops, this.time + 1e-9);
    const next = Math.min(Math.max(now + by, 0), this.stops.length - 1);
    this.point(this.stops[next]);
    this.show(this.time);
  }

  /** Go to the next time at which a system begins to be wrong, the first one behind the last. */
  find() {
    const starts = [];
    for (const track of this.tracks) {
      if (track.role !== "system") continue;
      this.eachMark(track, (start, _, state) => state !== "1" && starts.push(start));
    }
    if (starts.length === 0) {
      say("Nothing is wrong");
      return;
    }
    starts.sort((one, other) => one - other);
    const from = this.time ?? -1;
    this.point(starts.find((start) => start > from + 1e-9) ?? starts[0]);
    this.show(this.time);
  }

  mark() {
    const x = this.time === null ? -9 : this.x(this.time).toFixed(1);
    set(this.cursor, { x1: x, x2: x });
  }

  /** Say what everybody has at the cursor. */
  tell() {
    if (this.time === null) return;
    const heads = [
      { text: `At ${printedTime(this.time, this.unit, 2)}` },
      { text: "label" },
      { text: "from", number: true },
      { text: "to", number: true },
      { text: "judged" },
    ];
    this.readout.replaceChildren(simpleTable("", "", heads, this.tracks.map((track) => this.told(track))));
  }

  told(track) {
    const place = lastUpTo(track.edges, this.time + 1e-9);
    const label = track.labels[place] ?? -1;
    const turn = lastUpTo(track.turns, this.time + 1e-9);
    const state = this.stateOf(track, turn);
    const judged = track.turns.length === 0 ? "" : toldState(this.item, state);
    const time = (at) => ({ text: label < 0 ? "" : printedTime(track.edges[at], this.unit, 2), number: true });
    return [
      { parts: [make("bdi", "", this.item.texts[track.name])] },
      { parts: [label < 0 ? make("span", "soft", "nothing") : make("code", "", this.item.texts[label])] },
      time(place),
      time(place + 1),
      { parts: state === "0" ? [judged] : [sample(state, judged)] },
    ];
  }
}
