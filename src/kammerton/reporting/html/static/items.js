"use strict";
// The table of items: one row for each, sorted by any column, searched, and narrowed by the scatter plot.

const PAGE_OF_ROWS = 20;

/** Return a value as it is printed; undefined is said, not shown as a number. */
function printed(value, measure) {
  if (value === null) return "–";
  return measure.scale ? ((100 * value) / measure.scale).toFixed(1) : value.toFixed(3);
}

/** Return a difference with its sign. */
function printedDifference(value, measure) {
  if (value === null) return "–";
  const text = printed(Math.abs(value), measure);
  return value === 0 ? text : (value > 0 ? "+" : "−") + text;
}

/** What the table shows, and what it is made of. */
class ItemTable {
  constructor(section, data) {
    Object.assign(this, { section, data, measure: 0, first: 0, second: 1, chosen: null, limit: PAGE_OF_ROWS });
    this.sort = { column: "s0", descending: false };
    this.folded = data.items.map((name) => name.toLowerCase());
    const views = dataOf(document.getElementById(`${section.dataset.chapter}-item`));
    this.drawn = views === null ? {} : views.items;
    this.form = section.querySelector("form");
    this.table = section.querySelector("table.items");
    this.more = section.querySelector("button.more");
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.change());
    this.more.addEventListener("click", () => {
      this.limit *= 4;
      this.list();
    });
    const figure = section.querySelector("figure.scatter");
    this.scatter = figure === null ? null : new Scatter(figure, this);
    this.gains = figure === null ? null : new Gains(section.querySelector("figure.gains"), this);
    this.change();
  }

  get told() {
    return this.data.measures[this.measure];
  }

  /** Follow the form. */
  change() {
    const field = (name) => this.form.elements.namedItem(name);
    const measure = Number(field("measure").value);
    if (measure !== this.measure) this.chosen = null;
    this.measure = measure;
    if (field("first") !== null) {
      this.first = Number(field("first").value);
      this.second = Number(field("second").value);
    }
    this.state = field("state").value;
    this.search = field("search").value.trim().toLowerCase();
    this.limit = PAGE_OF_ROWS;
    this.values = this.data.values[this.measure];
    const there = this.values.flat().filter((value) => value !== null);
    this.range = [there.reduce((a, b) => Math.min(a, b), Infinity), there.reduce((a, b) => Math.max(a, b), -Infinity)];
    this.lost = this.losses();
    if (this.scatter !== null) this.scatter.draw();
    if (this.gains !== null) this.gains.draw();
    this.list();
  }

  /** Return what share of all lost points each item lost, over all systems. */
  losses() {
    const weights = this.data.weights[this.measure];
    if (!this.told.scale) return null;
    const lost = this.data.items.map((_, item) => {
      let sum = 0;
      for (const column of this.values) {
        const value = column[item];
        if (value === null) continue;
        const share = value / this.told.scale;
        sum += (this.told.lower ? share : 1 - share) * (weights === null ? 1 : weights[item]);
      }
      return sum;
    });
    const whole = lost.reduce((sum, each) => sum + each, 0);
    return whole > 0 ? lost.map((each) => each / whole) : lost;
  }

  difference(item) {
    const [one, other] = [this.values[this.first][item], this.values[this.second][item]];
    return one === null || other === null ? null : one - other;
  }

  /** Return the columns: a title, what a row is sorted by, and its cell. */
  columns() {
    const columns = [{ id: "name", title: "Item", key: (item) => item, cell: (item) => this.nameCell(item) }];
    this.data.systems.forEach((name, system) => {
      columns.push({
        id: `s${system}`,
        title: name,
        key: (item) => this.values[system][item],
        cell: (item) => this.valueCell(system, item),
      });
    });
    if (this.data.systems.length > 1) {
      columns.push({
        id: "difference",
        title: "Difference",
        key: (item) => this.difference(item),
        cell: (item) => make("td", "number", printedDifference(this.difference(item), this.told)),
      });
    }
    if (this.lost !== null) {
      columns.push({
        id: "lost",
        title: "Share of loss",
        key: (item) => this.lost[item],
        cell: (item) => make("td", "number", `${(100 * this.lost[item]).toFixed(1)} %`),
      });
    }
    return columns;
  }

  nameCell(item) {
    const name = make("bdi", "", ...breakable(this.data.items[item]));
    const cell = make("th", "");
    cell.scope = "row";
    if (Object.hasOwn(this.drawn, item)) {
      const link = make("a", "", name);
      link.href = `#${this.section.dataset.chapter}-item-${item}`;
      cell.append(link);
    } else {
      cell.append(name);
    }
    return cell;
  }

  valueCell(system, item) {
    const state = this.data.states[system][item];
    const value = this.values[system][item];
    const [low, high] = this.range;
    const share = value === null || high === low ? 0 : (value - low) / (high - low);
    const cell = make("td", `right heat-${Math.round(10 * share)}`);
    if (state !== undefined) {
      cell.append(make("span", "state", state[0]));
      cell.title = state[1];
    }
    cell.append(printed(value, this.told));
    return cell;
  }

  /** Return the items that are shown, in order. */
  kept(column) {
    const bad = (item) => this.data.states.some((states) => Object.hasOwn(states, item));
    const empty = (item) => this.values.some((values) => values[item] === null);
    const kept = [];
    for (let item = 0; item < this.folded.length; item += 1) {
      if (this.chosen !== null && !this.chosen.has(item)) continue;
      if (this.search !== "" && !this.folded[item].includes(this.search)) continue;
      if ((this.state === "bad" && !bad(item)) || (this.state === "undefined" && !empty(item))) continue;
      kept.push([column.key(item), item]);
    }
    const sign = this.sort.descending ? -1 : 1;
    // what has no value stands behind, whichever way the rest is sorted
    kept.sort(([a, i], [b, j]) => (a === null) - (b === null) || sign * (a - b) || i - j);
    return kept.map(([, item]) => item);
  }

  /** Fill the table. */
  list() {
    const columns = this.columns();
    const sorted = columns.find((column) => column.id === this.sort.column) ?? columns[0];
    const kept = this.kept(sorted);
    const body = make("tbody", "");
    for (const item of kept.slice(0, this.limit)) {
      body.append(make("tr", "", ...columns.map((column) => column.cell(item))));
    }
    const heads = columns.map((column) => this.head(column, column === sorted));
    this.table.replaceChildren(make("thead", "", make("tr", "", ...heads)), body);
    this.more.hidden = kept.length <= this.limit;
    const count = (number) => number.toLocaleString("en");
    const of = kept.length === this.folded.length ? "" : ` of ${count(this.folded.length)}`;
    const some = kept.length > this.limit ? `, the first ${count(this.limit)} shown` : "";
    const noun = this.folded.length === 1 ? "item" : "items";
    this.section.querySelector(".count").textContent = `${count(kept.length)}${of} ${noun}${some}`;
  }

  head(column, isSorted) {
    const arrow = isSorted ? (this.sort.descending ? " ↓" : " ↑") : "";
    const sorter = tool("sort", () => this.sortBy(column.id, isSorted), make("bdi", "", column.title), arrow);
    const cell = make("th", column.id === "name" ? "" : "number", sorter);
    cell.scope = "col";
    if (isSorted) cell.setAttribute("aria-sort", this.sort.descending ? "descending" : "ascending");
    return cell;
  }

  sortBy(column, again) {
    this.sort = { column, descending: again ? !this.sort.descending : column === "lost" };
    this.list();
    this.table.querySelector("th[aria-sort] button").focus();
  }

  /** Narrow the table to some items; null for all. */
  choose(chosen) {
    this.chosen = chosen;
    this.limit = PAGE_OF_ROWS;
    this.list();
  }
}

eachPart("items", (section, data) => new ItemTable(section, data));
