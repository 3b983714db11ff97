"use strict";
// Items laid out, one at a time: the one that the address names, or the worst.

/** Return a cell of a table: a text by its number, or a number by its kind. */
function tableCell(value, kind, texts) {
  if (value === null) return { text: "undefined", number: true };
  if (Array.isArray(value)) return { parts: [make("bdi", "", texts[value[0]])], number: kind !== "text" };
  if (kind === "share") return { text: `${(100 * value).toFixed(1)} %`, number: true };
  if (kind === "score") return { text: (100 * value).toFixed(2), number: true };
  return { text: value.toFixed(kind === "count" ? 0 : 3), number: true };
}

/** Return the tables of an item. */
function tablesOf(item) {
  return item.tables.map((table) => {
    if (table.rows.length === 0) return make("p", "block soft", item.texts[table.title]);
    const heads = table.columns.map(([heading, kind]) => ({ text: item.texts[heading], number: kind !== "text" }));
    const rows = table.rows.map((row) => row.map((value, place) => tableCell(value, table.columns[place][1], item.texts)));
    const title = item.texts[table.title];
    return scrolled("scroll block", title, simpleTable("", title, heads, rows));
  });
}

/** The section in which items are looked at. */
class ItemViewer {
  constructor(section, data) {
    Object.assign(this, { section, data, drawing: null });
    this.view = section.querySelector(".view");
    this.select = section.querySelector("select");
    data.order.forEach((number, place) => {
      this.select.append(new Option(`${place + 1}. ${data.texts[data.items[number].name]}`, number));
    });
    this.select.addEventListener("change", () => this.choose(this.select.selectedIndex));
    for (const button of section.querySelectorAll("button[data-step]")) {
      button.addEventListener("click", () => this.choose(this.select.selectedIndex + Number(button.dataset.step)));
    }
    addEventListener("hashchange", () => this.follow());
    addEventListener("resize", () => this.drawing?.scale === 0 && this.drawing.paint());
    addEventListener("beforeprint", () => this.drawing?.print(true));
    addEventListener("afterprint", () => this.drawing?.print(false));
    if (!this.follow()) setTimeout(() => this.drawing ?? this.lay(data.first));
  }

  /** Show the item that the address names, if it names one that is here. */
  follow() {
    const start = `#${this.section.id}-`;
    const number = location.hash.slice(start.length);
    if (!location.hash.startsWith(start) || !Object.hasOwn(this.data.items, number)) return false;
    this.lay(Number(number));
    this.section.scrollIntoView({ behavior: "instant" });
    this.view.querySelector("h4").focus({ preventScroll: true });
    return true;
  }

  choose(place) {
    const number = this.data.order[place];
    if (number === undefined) return;
    history.replaceState(null, "", `#${this.section.id}-${number}`);
    this.lay(number);
  }

  lay(number) {
    const item = { ...this.data.items[number], texts: this.data.texts, system: this.data.system };
    this.select.value = number;
    const title = make("h4", "", make("bdi", "", item.texts[item.name]));
    title.tabIndex = -1;
    const notes = item.notes.map((note) => make("p", "soft", item.texts[note]));
    this.drawing?.player?.close();
    this.drawing = ItemViewer.drawingOf(item);
    const tables = make("details", "", make("summary", "", "Losses and scores"), make("div", "tables", ...tablesOf(item)));
    const more = notes.length > 2 ? [make("details", "", make("summary", "", "More"), ...notes.splice(2))] : [];
    this.view.replaceChildren(title, ...notes, ...more, this.drawing.element, tables);
    this.drawing.open();
  }

  static drawingOf(item) {
    if (item.roll !== undefined) return new PianoRoll(item);
    return item.outline === undefined ? new Timeline(item) : new Outline(item);
  }
}

eachPart("item", (section, data) => new ItemViewer(section, data));
