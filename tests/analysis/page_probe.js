"use strict";
// Appended to a report's page by test_page.py: uses the page as a reader does, and leaves what it
// saw in the document, which the browser prints.
const seen = {};
const all = (what, where = document) => [...where.querySelectorAll(what)];
const column = (table, n) => [...table.tBodies[0].rows].filter((row) => !row.hidden)
  .map((row) => row.cells[n].textContent);
const type = (field, text) => {
  field.value = text;
  field.dispatchEvent(new Event("input"));
};

seen.width = innerWidth;
const answer = all("section:first-of-type figure")[0];
seen.answered = answer.getBoundingClientRect().bottom / innerHeight;  // in screens
seen.hidden = all("svg", answer).filter((one) => !one.clientHeight).length;
seen.opened = document.getElementById("appendix").getBoundingClientRect().top / innerHeight;
seen.folded = all("main details").filter((one) => !one.open).length;
for (const one of all("main details")) one.open = true;
seen.clipped = all(".wide,.picture,.cards,.note").filter((one) => {
  const style = getComputedStyle(one);
  return (one.scrollWidth > one.clientWidth + 1 && !/auto|scroll/.test(style.overflowX)) ||
    (one.scrollHeight > one.clientHeight + 1 && !/auto|scroll/.test(style.overflowY));
}).length;
seen.content = document.documentElement.scrollWidth;
seen.wide = all("main *").filter((one) => one.getBoundingClientRect().right > innerWidth + 1 &&
  !one.closest(".wide,.picture,code,svg")).map((one) => one.outerHTML.slice(0, 80));
seen.unresolved = all("a[href^='#']").map((link) => link.getAttribute("href").slice(1))
  .filter((id) => !document.getElementById(id));
const ids = all("[id]").map((one) => one.id);
seen.repeated = ids.filter((id, n) => ids.indexOf(id) !== n);
seen.tips = all("svg .tip > title").length;
seen.captions = all("figcaption").length;
seen.figures = all("figure").length;
seen.drawn = all("figure svg").filter((one) => one.getBoundingClientRect().height > 40).length;
seen.letters = Math.min(...all("figure svg").filter((one) => one.clientHeight).flatMap(  // pixels
  (one) => all("text", one).map((text) => parseFloat(getComputedStyle(text).fontSize) *
    one.clientWidth / one.viewBox.baseVal.width)));
seen.links = all(".bar a").map((link) => link.getAttribute("href"));
seen.background = getComputedStyle(document.body).backgroundColor;
seen.contents = document.querySelector("nav details").open;

const table = document.getElementById("table-mpc-table-2"), ratio = 3;
const button = table.tHead.rows[0].cells[ratio].querySelector("button");
button.click();
seen.up = column(table, ratio);
button.click();
seen.down = column(table, ratio);
const field = document.querySelector('[data-filters="table-mpc-table-2"]');
type(field, "set_01 double");
seen.filtered = column(table, 0);
type(field, "");
seen.again = column(table, 0).length;
const cards = document.querySelector('[data-filters="sets-cards"]');
seen.cards = all(".card").length;
type(cards, "set_01");
seen.found = all(".card").filter((one) => !one.hidden).map((one) => one.querySelector("h4").textContent);
seen.copies = all(".command button").filter((one) => !one.hidden).length;

const told = document.createElement("pre");
told.id = "seen";
told.textContent = JSON.stringify(seen);
document.body.append(told);
