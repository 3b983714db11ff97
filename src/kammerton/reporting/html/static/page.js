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

/** Make an element of a drawing with attributes. */
function draw(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
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
