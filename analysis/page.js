"use strict";
// Tables sort by a click on a column's title and show the rows that contain what is typed above
// them; cards likewise; commands are copied. Without this script everything is there and visible.
const value = (cell) => {
  const text = cell.textContent.trim();
  const number = Number(text.replace(/,/g, "").replace(/[ %\u2020\u2021*]+$/, ""));
  const empty = /^(\u2013[\u00b2\u00b3\u00b9\u2070-\u2079]*)?$/;  // a dash and the mark of its reason
  return empty.test(text) ? null : Number.isNaN(number) ? text : number;
};
const compare = (a, b) =>
  typeof a === "number" && typeof b === "number" ? a - b
    : String(a).localeCompare(String(b), "en", {numeric: true});

function sort(head) {
  const table = head.closest("table"), body = table.tBodies[0];
  const up = head.getAttribute("aria-sort") !== "ascending", column = head.cellIndex;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const rows = [...body.rows].map((row, place) => ({row, place, key: value(row.cells[column])}));
  rows.sort((a, b) => a.key === null || b.key === null  // empty cells stay at the end
    ? (a.key === null) - (b.key === null) || a.place - b.place
    : (up ? 1 : -1) * compare(a.key, b.key) || a.place - b.place);
  body.append(...rows.map((one) => one.row));
}

// Every word must occur.
function filter(field, things) {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const thing of things) {
    const text = thing.textContent.toLowerCase();
    thing.hidden = !words.every((word) => text.includes(word));
  }
}

async function copy(button) {
  const code = button.parentNode.querySelector("code");
  try {
    await navigator.clipboard.writeText(code.textContent);
  } catch {  // pages of files may not: select it, for the keyboard
    getSelection().selectAllChildren(code);
    button.textContent = "selected";
    return;
  }
  button.textContent = "copied";
}

function decorate(table) {
  const titles = [...table.tHead.rows[0].cells].map((head) => head.textContent);
  for (const row of table.tBodies[0].rows)  // which narrow screens show before each cell
    for (const cell of row.cells) cell.dataset.title = titles[cell.cellIndex];
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.title = "sort";
    button.addEventListener("click", () => sort(head));
    head.append(button);
  }
}

for (const table of document.querySelectorAll("table")) decorate(table);
for (const field of document.querySelectorAll("input[data-filters]")) {
  const target = document.getElementById(field.dataset.filters);
  field.closest("label").hidden = false;
  field.addEventListener("input", () =>
    filter(field, target.tBodies ? target.tBodies[0].rows : target.children));
}
for (const button of document.querySelectorAll(".command button")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}
// A link to something folded unfolds it.
const reveal = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let one = target; one; one = one.parentElement) if (one.tagName === "DETAILS") one.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();
// Narrow screens get the contents folded; print gets everything unfolded.
const contents = document.querySelector("nav details");
const wide = matchMedia("(min-width:1100px)");
const fold = () => { contents.open = wide.matches; };
wide.addEventListener("change", fold);
fold();
addEventListener("beforeprint", () => {
  for (const one of document.querySelectorAll("details")) one.open = true;
});
