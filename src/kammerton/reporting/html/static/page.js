"use strict";
// What every part of the page shares. Text of the data reaches the page by textContent only.

const known = new Map();

/** Return the data of a section, read once; null if it has none. */
function dataOf(section) {
  if (section === null) return null;
  if (!known.has(section)) {
    const block = document.getElementById(`${section.id}-data`);
    known.set(section, block === null ? null : JSON.parse(block.textContent));
  }
  return known.get(section);
}

/** Make an element with a class, and children that are elements or texts. */
function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/** Set attributes of an element. */
function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
}

/** Make an element of a drawing with attributes. */
function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(element, attributes);
  element.append(...children);
  return element;
}

/** Make a button. */
function tool(className, act, ...children) {
  const element = make("button", className, ...children);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}

/** Make a bar that is some per cent of its track. */
function barOf(share) {
  const bar = make("span", "bar");
  bar.style.width = `${share}%`;
  return make("span", "track", bar);
}

/** Make a table of rows of cells; the first cell of a row heads it. */
function simpleTable(className, caption, heads, rows) {
  const table = make("table", className);
  if (caption) table.append(make("caption", "", caption));
  const cell = (tag, scope, each, place) => {
    const made = make(tag, place > 0 && each.number ? "number" : "", ...(each.parts ?? [each.text]));
    if (scope) made.scope = scope;
    return made;
  };
  const head = make("tr", "", ...heads.map((each, place) => cell("th", "col", each, place)));
  const body = rows.map((row) =>
    make("tr", "", ...row.map((each, place) => cell(place ? "td" : "th", place ? "" : "row", each, place))),
  );
  table.append(make("thead", "", head), make("tbody", "", ...body));
  return table;
}

/** Make a region with a name that is scrolled where what is in it is too wide. */
function scrolled(className, label, content) {
  const region = make("div", className, content);
  region.tabIndex = 0;
  set(region, { role: "region", "aria-label": label });
  return region;
}

/** Return the parts of a name with places between them where a line may break. */
function breakable(name) {
  return name.split(/(?<=[/_])(?![/_])/).flatMap((part) => [part, make("wbr", "")]);
}

/** Run a function for each section of one kind, with its data. */
function eachPart(part, start) {
  for (const section of document.querySelectorAll(`section[data-part="${part}"]`)) {
    start(section, dataOf(section));
  }
}

/** Say something to those who listen to the page, and show it for a moment. */
function say(text) {
  const said = document.getElementById("said");
  said.textContent = text;
  said.classList.add("shown");
  clearTimeout(say.timer);
  say.timer = setTimeout(() => said.classList.remove("shown"), 2000);
}

/** Copy the text of an element; pages opened from a folder may have no clipboard but the old one. */
async function copy(source) {
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    const range = document.createRange();
    range.selectNodeContents(source);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    if (!document.execCommand("copy")) {
      say("Selected: copy it with the keyboard");
      return;
    }
    selection.removeAllRanges();
  }
  say("Copied");
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-copy]");
  if (button !== null) copy(document.getElementById(button.dataset.copy));
});

/** Show the ranking by one measure at a time. */
eachPart("summary", (section) => {
  const pick = section.querySelector(".pick");
  if (pick === null) return;
  pick.hidden = false;
  const figures = section.querySelectorAll("figure.ranking");
  const select = pick.querySelector("select");
  select.addEventListener("change", () => {
    figures.forEach((figure, place) => {
      figure.hidden = place !== select.selectedIndex;
    });
  });
});
