"use strict";
// Classes below the families that they belong to, what everybody says of each, and lists in their order.

class Outline {
  constructor(item) {
    this.item = item;
    this.element = make("div", "outlined", this.tree(), ...this.lists(), this.states());
  }

  open() {}

  paint() {}

  print() {}

  /** Return a table of classes; what is below another is indented, and says how deep it is. */
  tree() {
    const { texts, tracks, outline } = this.item;
    const heads = [{ text: "Class" }, ...tracks.map((track) => ({ parts: [make("bdi", "", texts[track.name])] }))];
    const rows = outline.map(([depth, label, cells, states]) => {
      const name = make("bdi", "branch", texts[label]);
      name.style.paddingInlineStart = `${1.1 * depth}rem`;
      const deep = make("span", "unseen", `, level ${depth + 1}`);
      return [
        { parts: depth ? [name, deep] : [name] },
        ...cells.map((cell, place) => ({ parts: cell === "" ? [] : [this.cell(texts[cell], states[place])] })),
      ];
    });
    return scrolled("scroll", "Classes", simpleTable("tree", "What everybody says of each class", heads, rows));
  }

  cell(text, state) {
    return make("span", `said-${state}`, text);
  }

  /** Return the lists of all tracks beside each other, the best label first. */
  lists() {
    const { texts, tracks, ranked } = this.item;
    // lists without scores say no more than the table
    if (!ranked?.flat().some(([, score]) => score !== null)) return [];
    const lists = ranked.map((entries, place) => {
      const title = make("p", "list-title", make("bdi", "", texts[tracks[place].name]));
      const best = Math.max(...entries.map(([, score]) => score ?? 0), 1);
      const rows = entries.map(([label, score, state]) => {
        const row = make("li", "", make("span", `said-${state}`, make("bdi", "", texts[label])));
        if (score !== null) {
          const share = Math.max(0, (100 * score) / best);
          row.append(" ", barOf(share), " ", make("span", "soft", `${Number(score.toPrecision(3))}`));
        }
        return row;
      });
      const note = tracks[place].note;
      return make("div", "ranked", title, note === undefined ? make("ol", "", ...rows) : make("p", "soft", texts[note]));
    });
    return [make("div", "lists", ...lists)];
  }

  states() {
    const { legend, texts, outline } = this.item;
    const used = new Set(outline.flatMap(([, , , states]) => [...states]));
    const told = legend.filter(([code]) => used.has(code));
    return make("p", "legend", ...told.map(([code, text]) => make("span", `said-${code}`, texts[text])));
  }
}
