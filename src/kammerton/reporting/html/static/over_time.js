"use strict";
// Drawings over time: they are zoomed, scrolled, and read at a cursor that pointer and keys move.

const TALLEST_ZOOM = 400; // pixels for a unit of time
const WINDOW = 25; // seconds, or quarter notes, that a drawing opens at
const LISTED = 200; // mistakes that are listed
const PAPER = 540; // pixels that a drawing has on a sheet, beside the names

/** Return a time as it is printed: minutes and seconds, or a number of quarter notes. */
function printedTime(time, unit, digits) {
  if (unit !== "s") return `${Number(time.toFixed(digits))}`;
  const minutes = Math.floor(time / 60 + 1e-9);
  const seconds = Math.max(0, time - 60 * minutes).toFixed(digits);
  return `${minutes}:${seconds.padStart(digits ? 3 + digits : 2, "0")}`;
}

/** Return sums of all steps so far, in units of time. */
function timesOf(steps) {
  let ticks = 0;
  return steps.map((step) => (ticks += step) / 1000);
}

/** Return the last place of a sorted list that is not behind a value, -1 if all are. */
function lastUpTo(sorted, value) {
  let [low, high] = [-1, sorted.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sorted[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * What timelines and piano rolls have in common; `paint`, `move`, `point`, `find`, `follow`, `mistakes`, `heard` and
 * `sounds` are theirs.
 */
class OverTime {
  constructor(end, unit, label) {
    Object.assign(this, { end, unit, scale: 0, onPaper: false, time: null });
    this.names = make("div", "names");
    this.names.setAttribute("aria-hidden", "true");
    this.pane = make("div", "pane");
    this.pane.tabIndex = 0;
    const keys = "arrows move, plus and minus zoom, 0 shows all, n finds what is wrong, space plays";
    set(this.pane, { role: "group", "aria-label": `${label}: ${keys}` });
    this.readout = make("div", "readout");
    this.readout.setAttribute("role", "status");
    this.bar = make(
      "div",
      "tools",
      tool("", () => this.zoom(1.6), "Zoom in"),
      tool("", () => this.zoom(1 / 1.6), "Zoom out"),
      tool("", () => this.fit(), "All"),
      tool("", () => this.find(), "Next wrong"),
    );
    this.map = draw("svg", { class: "map", viewBox: "0 0 1000 24", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.list = make("ol", "mistakes");
    this.listed = make("details", "", make("summary", "", "Mistakes"), scrolled("scroll tall", "Mistakes", this.list));
    this.listed.open = true;
    const laid = make("div", "laid", this.names, this.pane);
    this.element = make("div", "over-time", this.bar, this.map, laid, this.readout, this.listed);
    this.pane.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.pane.addEventListener("keydown", (event) => this.key(event));
    this.pane.addEventListener("pointermove", (event) => this.at(event));
    this.pane.addEventListener("pointerdown", (event) => this.at(event));
    this.pane.addEventListener("scroll", () => this.frame());
    for (const kind of ["pointerdown", "pointermove"]) {
      this.map.addEventListener(kind, (event) => event.buttons === 1 && this.jump(event));
    }
  }

  /** Add what plays it: only what is whole can be heard. */
  play() {
    this.player = new Player(this);
    this.bar.after(this.player.element);
  }

  /** Draw it for the first time: where most is wrong, so near that labels can be read. */
  open() {
    this.paint();
    const width = this.opening;
    if (this.end > 1.2 * width) {
      this.scale = Math.min(this.pane.clientWidth / width, TALLEST_ZOOM);
      this.paint();
      this.pane.scrollLeft = this.x(this.worst(width));
    }
    this.tellMistakes();
    this.frame();
  }

  get opening() {
    return WINDOW;
  }

  /** Return the time that is seen at the left. */
  get from() {
    return this.pane.scrollLeft / (this.scale || this.whole);
  }

  /** Return where a stretch of some width begins in which most is wrong. */
  worst(width) {
    const wrong = this.mistakes();
    const within = (from) =>
      wrong.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(end, from + width) - Math.max(start, from)), 0);
    let [best, most] = [0, 0];
    for (const { start } of wrong) {
      const sum = within(start);
      if (sum > most + 1e-9) [best, most] = [start, sum];
    }
    return Math.max(0, Math.min(best - 0.05 * width, this.end - width));
  }

  /** List what is wrong, and show where in all of it. */
  tellMistakes() {
    const wrong = this.mistakes();
    const rows = wrong.slice(0, LISTED).map(({ start, told }) => {
      const go = () => {
        this.seek(start);
        this.show(start);
      };
      return make("li", "", tool("go", go, printedTime(start, this.unit, 1)), " ", ...told);
    });
    this.list.replaceChildren(...rows);
    const more = wrong.length > LISTED ? `, the first ${LISTED} listed` : "";
    this.listed.firstChild.textContent = `Mistakes of ${this.subject}: ${wrong.length}${more}`;
    const part = (time) => (1000 * time) / this.end;
    this.window = draw("rect", { class: "window", y: 1, height: 22 });
    this.map.replaceChildren(
      ...wrong.map(({ start, end, state }) =>
        draw("rect", { class: `state-${state}`, x: part(start), width: Math.max(part(end - start), 1), y: 6, height: 12 }),
      ),
      this.window,
    );
  }

  /** Frame in the map what is seen of all. */
  frame() {
    if (this.window === undefined) return;
    const scale = 1000 / this.end;
    const width = Math.min(this.end, this.pane.clientWidth / (this.scale || this.whole));
    set(this.window, { x: this.from * scale, width: width * scale });
  }

  /** Go to a place of the map. */
  jump(event) {
    const box = this.map.getBoundingClientRect();
    const time = (this.end * (event.clientX - box.left)) / box.width;
    this.pane.scrollLeft = this.x(time) - this.pane.clientWidth / 2;
  }

  /** Offer a choice among texts before the buttons. */
  offer(title, texts, chosen, act) {
    const select = make("select", "");
    texts.forEach((text, place) => select.append(new Option(text, place, false, place === chosen)));
    select.addEventListener("change", () => act(select.selectedIndex));
    this.bar.prepend(make("label", "", title, select));
  }

  /** Return how many pixels a unit of time has if all is shown. */
  get whole() {
    return Math.max(this.pane.clientWidth - 2, 200) / this.end;
  }

  x(time) {
    return time * (this.onPaper ? PAPER / this.end : this.scale || this.whole);
  }

  /** Draw all of it for a sheet of paper, or again for the screen. */
  print(onPaper) {
    this.onPaper = onPaper;
    this.paint();
  }

  /** Change the scale, and keep what lies at a place of the pane where it is. */
  zoom(factor, place = this.pane.clientWidth / 2) {
    const before = this.scale || this.whole;
    const time = (this.pane.scrollLeft + place) / before;
    const after = Math.min(Math.max(before * factor, this.whole), Math.max(TALLEST_ZOOM, this.whole));
    this.scale = after <= this.whole ? 0 : after;
    this.paint();
    this.pane.scrollLeft = time * after - place;
    this.frame();
  }

  fit() {
    this.scale = 0;
    this.paint();
    this.frame();
  }

  wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.zoom(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - this.pane.getBoundingClientRect().left);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      ArrowLeft: () => this.move(-1, 0),
      ArrowRight: () => this.move(1, 0),
      ArrowUp: () => this.move(0, 1),
      ArrowDown: () => this.move(0, -1),
      "+": () => this.zoom(1.6),
      "=": () => this.zoom(1.6),
      "-": () => this.zoom(1 / 1.6),
      0: () => this.fit(),
      n: () => this.find(),
      " ": () => this.player.toggle(),
    };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    acts[event.key]();
  }

  at(event) {
    const box = this.pane.firstElementChild.getBoundingClientRect();
    this.point((event.clientX - box.left) / (this.scale || this.whole), event.clientY - box.top);
  }

  /** Scroll so that a time is well inside of what is seen. */
  show(time) {
    const [place, width] = [this.x(time), this.pane.clientWidth];
    const left = this.pane.scrollLeft;
    if (place < left + 20 || place > left + width - 60) this.pane.scrollLeft = place - width / 3;
  }

  /** Return an empty drawing of some height with an axis of time at its top. */
  sheet(height) {
    const width = Math.max(1, Math.round(this.x(this.end)));
    const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];
    const step = steps.find((each) => this.x(each) >= 60) ?? this.end;
    for (let tick = 0; tick * step < this.end; tick += 1) {
      const x = this.x(tick * step).toFixed(1);
      svg.append(draw("line", { class: "grid", x1: x, x2: x, y1: 14, y2: height }));
      const told = printedTime(tick * step, this.unit, step < 1 ? 1 : 0);
      svg.append(draw("text", { class: "tick", x: Number(x) + 3, y: 11 }, told));
    }
    return svg;
  }
}
