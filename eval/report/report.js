"use strict";
// Sorting, filtering, and details that wait in the data until they are opened.
const later = JSON.parse(document.getElementById("data").textContent).later;

function fill(body) {
  const place = body.querySelector(".later");
  if (!place || !(body.id in later)) return;
  // The page wrote this HTML itself, escaped; nothing in it runs or loads under its policy.
  const parsed = new DOMParser().parseFromString(later[body.id], "text/html");
  place.replaceWith(...parsed.body.childNodes);
  delete later[body.id];
}

document.addEventListener("toggle", (event) => {
  const body = event.target.closest("tbody[id]");
  if (body && event.target.open) fill(body);
}, true);

function valueOf(body, column) {
  return body.rows[0].cells[column].dataset.v;
}

function sortBy(table, column, order) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => head.setAttribute("aria-sort", at === column ? order : "none"));
  const bodies = [...table.tBodies];
  bodies.forEach((body, at) => { body.place ??= at; });
  const number = column !== null && heads[column].classList.contains("number");
  const sign = order === "descending" ? -1 : 1;
  bodies.sort((a, b) => {
    if (column === null) return a.place - b.place;
    const [x, y] = [valueOf(a, column), valueOf(b, column)];
    // What has no value stands last in either order.
    if (x === "" || y === "") return (x === "") - (y === "") || a.place - b.place;
    const by = number ? x - y : x.localeCompare(y, undefined, { numeric: true });
    return sign * by || a.place - b.place;
  });
  table.append(...bodies);
}

function choose(form, table) {
  const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const category = form.elements.category ? form.elements.category.value : "";
  const tag = form.elements.tag.value;
  let shown = 0;
  for (const body of table.tBodies) {
    body.words ??= (body.rows[0].textContent + " "
      + body.querySelector("summary").textContent).toLowerCase();
    const fits = words.every((word) => body.words.includes(word))
      && (!category || body.dataset.category === category)
      && (!tag || body.dataset.tags.split(" ").includes(tag));
    body.hidden = !fits;
    shown += fits;
  }
  form.elements.count.value = `${shown} of ${table.tBodies.length} cases`;
}

for (const form of document.querySelectorAll("form.filters")) {
  const table = document.getElementById(form.dataset.table);
  const sort = form.elements.sort;
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", (event) => {
    if (event.target === sort) {
      const [column, order] = sort.value.split(" ");
      sortBy(table, sort.value === "" ? null : Number(column), order);
    } else choose(form, table);
  });
  table.tHead.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const column = Number(button.dataset.column);
    const before = button.parentElement.getAttribute("aria-sort");
    const order = before === "ascending" ? "descending" : "ascending";
    sortBy(table, column, order);
    sort.value = `${column} ${order}`;
  });
  choose(form, table);
}

function openHash() {
  const body = document.getElementById(location.hash.slice(1));
  if (!body || body.tagName !== "TBODY") return;
  body.hidden = false;
  body.querySelector("details").open = true;
  fill(body);
  body.scrollIntoView();
}
addEventListener("hashchange", openHash);
openHash();
