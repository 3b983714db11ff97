"use strict";
// What the second system gains over the first: a histogram of the differences of items.

const GAIN_BINS = 21;
const GAIN_WIDTH = 320;
const GAIN_HEIGHT = 110;

class Gains {
  constructor(figure, table) {
    this.table = table;
    this.drawing = draw("svg", { viewBox: `0 0 ${GAIN_WIDTH} ${GAIN_HEIGHT + 22}`, role: "img" });
    this.readout = make("figcaption", "soft");
    figure.append(this.drawing, this.readout);
  }

  /** Draw the gains by the measure and the two systems of the table; where lower is better, less is a gain. */
  draw() {
    const { values, first, second, told, data } = this.table;
    const gains = [];
    data.items.forEach((_, item) => {
      const [before, after] = [values[first][item], values[second][item]];
      if (before !== null && after !== null) gains.push(told.lower ? before - after : after - before);
    });
    const most = gains.reduce((a, b) => Math.max(a, Math.abs(b)), 0) || 1;
    const bins = Array.from({ length: GAIN_BINS }, () => 0);
    for (const gain of gains) {
      bins[Math.min(Math.floor(((gain + most) / (2 * most)) * GAIN_BINS), GAIN_BINS - 1)] += 1;
    }
    const tallest = Math.max(...bins, 1);
    const width = GAIN_WIDTH / GAIN_BINS;
    const parts = bins.map((count, place) => {
      const height = (GAIN_HEIGHT * count) / tallest;
      return draw("rect", { x: place * width + 0.5, y: GAIN_HEIGHT - height, width: width - 1, height, class: "gain" });
    });
    const middle = GAIN_WIDTH / 2;
    parts.push(draw("line", { x1: middle, y1: 0, x2: middle, y2: GAIN_HEIGHT, class: "even" }));
    for (const [x, value, side] of [[2, -most, ""], [middle, 0, "middle"], [GAIN_WIDTH - 2, most, "end"]]) {
      parts.push(draw("text", { x, y: GAIN_HEIGHT + 15, class: `tick ${side}` }, printedDifference(value, told)));
    }
    this.drawing.replaceChildren(...parts);
    const better = gains.filter((gain) => gain > 0).length;
    const worse = gains.filter((gain) => gain < 0).length;
    const names = [data.systems[second], data.systems[first]].map((name) => make("bdi", "", name));
    const text = `better on ${better}, worse on ${worse}, equal on ${gains.length - better - worse} items`;
    this.readout.replaceChildren("Gain of ", names[0], " over ", names[1], `: ${text}.`);
    set(this.drawing, { "aria-label": this.readout.textContent });
  }
}
