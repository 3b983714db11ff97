"use strict";
// System against system: a point for each item, named under the pointer, and chosen by drawing a rectangle.

const SIDE = 320;
const EDGE = 44;
const NEAR = 14;
const DENSE = 1000;

class Scatter {
  constructor(figure, table) {
    this.table = table;
    this.drag = null;
    this.drawing = draw("svg", { viewBox: `0 0 ${SIDE + EDGE + 16} ${SIDE + EDGE + 8}`, role: "img" });
    this.readout = make("figcaption", "soft");
    this.clear = tool("", () => this.choose(null), "Show all items");
    figure.append(this.drawing, this.readout, this.clear);
    this.drawing.addEventListener("pointermove", (event) => this.move(event));
    this.drawing.addEventListener("pointerdown", (event) => this.press(event));
    this.drawing.addEventListener("pointerup", (event) => this.release(event));
    this.drawing.addEventListener("pointercancel", () => this.drop());
    this.drawing.addEventListener("pointerleave", () => this.name(null));
  }

  /** Draw axes and points of the measure and the two systems of the table. */
  draw() {
    const { values, first, second, told, data } = this.table;
    this.points = [];
    data.items.forEach((_, item) => {
      const [x, y] = [values[first][item], values[second][item]];
      if (x !== null && y !== null) this.points.push({ item, x, y });
    });
    this.range();
    this.drawing.classList.toggle("dense", this.points.length > DENSE);
    const names = [data.systems[first], data.systems[second]];
    this.drawing.replaceChildren(...this.axes(names));
    for (const point of this.points) {
      [point.left, point.top] = this.place(point.x, point.y);
      this.drawing.append(draw("circle", { cx: point.left, cy: point.top, r: 3.2, class: "point" }));
    }
    this.ring = draw("circle", { r: 6, class: "ring", visibility: "hidden" });
    this.box = draw("rect", { class: "box", visibility: "hidden" });
    this.drawing.append(this.box, this.ring);
    const label = `${told.name} of each item: ${names[0]} across, ${names[1]} up. The table has the values.`;
    set(this.drawing, { "aria-label": label });
    this.mark();
    this.name(null);
  }

  range() {
    const { told } = this.table;
    const all = this.points.flatMap(({ x, y }) => [x, y]);
    this.low = told.scale ? 0 : all.reduce((a, b) => Math.min(a, b), 0);
    this.high = told.scale ? told.scale : all.reduce((a, b) => Math.max(a, b), 1e-9);
  }

  place(x, y) {
    const part = (value) => (SIDE * (value - this.low)) / (this.high - this.low || 1);
    return [EDGE + part(x), 8 + SIDE - part(y)].map((number) => Math.round(10 * number) / 10);
  }

  axes([across, up]) {
    const parts = [draw("line", { x1: EDGE, y1: 8 + SIDE, x2: EDGE + SIDE, y2: 8, class: "even" })];
    for (let step = 0; step <= 4; step += 1) {
      const value = this.low + (step * (this.high - this.low)) / 4;
      const [left, top] = this.place(value, value);
      const text = printed(value, this.table.told).replace(/\.0+$/, "");
      parts.push(
        draw("line", { x1: left, y1: 8, x2: left, y2: 8 + SIDE, class: "grid" }),
        draw("line", { x1: EDGE, y1: top, x2: EDGE + SIDE, y2: top, class: "grid" }),
        draw("text", { x: left, y: SIDE + 24, class: "tick middle" }, text),
        draw("text", { x: EDGE - 6, y: top + 4, class: "tick end" }, text),
      );
    }
    const middle = 8 + SIDE / 2;
    parts.push(
      draw("text", { x: EDGE + SIDE / 2, y: SIDE + 44, class: "title middle" }, clipped(across)),
      draw("text", { x: 12, y: middle, class: "title middle", transform: `rotate(-90 12 ${middle})` }, clipped(up)),
    );
    return parts;
  }

  /** Return where the pointer is, in the units of the drawing. */
  at(event) {
    const frame = this.drawing.getBoundingClientRect();
    const scale = this.drawing.viewBox.baseVal.width / frame.width;
    return [(event.clientX - frame.left) * scale, (event.clientY - frame.top) * scale];
  }

  nearest([left, top]) {
    let best = null;
    let distance = NEAR;
    for (const point of this.points) {
      const away = Math.hypot(point.left - left, point.top - top);
      if (away < distance) [best, distance] = [point, away];
    }
    return best;
  }

  move(event) {
    if (this.drag === null) {
      this.name(this.nearest(this.at(event)));
      return;
    }
    const [x, y] = this.at(event);
    const [left, top] = [Math.min(x, this.drag[0]), Math.min(y, this.drag[1])];
    const [width, height] = [Math.abs(x - this.drag[0]), Math.abs(y - this.drag[1])];
    set(this.box, { x: left, y: top, width, height, visibility: "visible" });
  }

  press(event) {
    this.drag = this.at(event);
    this.drawing.setPointerCapture(event.pointerId);
  }

  /** Draw no rectangle any more: it is done, or a finger scrolls the page instead. */
  drop() {
    this.drag = null;
    this.box.setAttribute("visibility", "hidden");
  }

  release(event) {
    const [from, to] = [this.drag, this.at(event)];
    this.drop();
    if (from === null) return;
    if (Math.hypot(to[0] - from[0], to[1] - from[1]) < 5) {
      this.open(this.nearest(to));
      return;
    }
    const within = (value, one, other) => value >= Math.min(one, other) && value <= Math.max(one, other);
    const chosen = this.points.filter(
      ({ left, top }) => within(left, from[0], to[0]) && within(top, from[1], to[1]),
    );
    this.choose(chosen.length === 0 ? null : new Set(chosen.map(({ item }) => item)));
  }

  /** Go to an item that is laid out, or show it alone in the table. */
  open(point) {
    if (point === null) return;
    if (Object.hasOwn(this.table.drawn, point.item)) {
      location.hash = `${this.table.section.dataset.chapter}-item-${point.item}`;
    } else {
      this.choose(new Set([point.item]));
    }
  }

  choose(chosen) {
    this.table.choose(chosen);
    this.mark();
  }

  /** Let the points stand back that are not chosen, if some are. */
  mark() {
    const { chosen } = this.table;
    this.drawing.querySelectorAll(".point").forEach((circle, number) => {
      circle.classList.toggle("faint", chosen !== null && !chosen.has(this.points[number].item));
    });
    this.clear.hidden = chosen === null;
  }

  /** Name the item under the pointer. */
  name(point) {
    const { data, told, first, second } = this.table;
    this.ring.setAttribute("visibility", point === null ? "hidden" : "visible");
    if (point === null) {
      const side = told.lower ? "Below" : "Above";
      this.readout.textContent = `${side} the diagonal, the second system is better. Draw a rectangle to choose items.`;
      return;
    }
    set(this.ring, { cx: point.left, cy: point.top });
    const values = `${data.systems[first]} ${printed(point.x, told)}, ${data.systems[second]} ${printed(point.y, told)}`;
    this.readout.replaceChildren(make("bdi", "strong", data.items[point.item]), `: ${values}`);
  }
}

/** Return a name short enough for an axis. */
function clipped(name) {
  return name.length > 40 ? `${name.slice(0, 39)}…` : name;
}
