// The panel of classes: the legend. A click selects the points of a class.

import { byId, el, fill, icon, iconButton, keyCap } from "./dom.js";
import { gesture, select } from "./actions.js";
import { askName, askYes, openDialog, openMenu } from "./menus.js";
import { KEYS } from "./keys.js";
import { count, number, shortened } from "./words.js";
import { mark } from "./parts.js";
import { now, set, watchLater } from "./store.js";
import { shown } from "./state.js";

const MOST_ROWS = 100000; // that the server takes one by one

export function startClasses() {
  byId("new-class").addEventListener("click", newClass);
  byId("unreached-row").addEventListener("click", () => selectWhere((_, certainty) => certainty === 0, "no class"));
  watchLater(["project", "theme", "trial"], draw);
}

export function newClass() {
  askName("New class", "", "Add", (name) => gesture({ kind: "add_class", name }));
}

function draw(state) {
  if (!state.project) return;
  const { classes, progress } = state.project;
  byId("class-count").textContent = classes.length ? number(classes.length) : "";
  const lacking = new Set(progress?.lacking ?? []);
  fill(byId("class-list"), ...classes.map((one) => row(state, one, lacking.has(one.id))));
  byId("class-empty").hidden = classes.length > 0;
  byId("unreached-row").hidden = !progress || progress.n_reached === progress.n_points;
  if (progress) byId("unreached-count").textContent = number(progress.n_points - progress.n_reached);
}

function row(state, one, lacks) {
  const about = `${one.name}: ${count(one.n_labels, "label")}, ${number(one.n_predicted)} predicted${lacks ? ", needs more labels" : ""}${one.key ? `, key ${one.key}` : ""}`;
  return el("li", {},
    el("button", { type: "button", class: "class-row", "data-key": `row-${one.id}`, "aria-label": `Select the points of ${about}`, title: `${about}. Click to select its points`, onclick: () => selectClass(one) },
      mark(state, one), el("span", { class: "name", text: one.name }),
      el("span", { class: lacks ? "labels lacking" : "labels" }, icon("star"), el("span", { text: number(one.n_labels) })),
      el("span", { class: "predicted", text: number(one.n_predicted) }),
      one.key ? keyCap(one.key) : el("span", { class: "no-key" })),
    iconButton("more", `More for ${one.name}`, (event) => more(event.currentTarget, one),
      { "data-key": `more-${one.id}`, "aria-haspopup": "menu", "aria-expanded": "false" }));
}

function more(button, one) {
  const others = now().project.classes.filter((other) => other.id !== one.id);
  openMenu(button, one.name, [
    { text: "Select its points", note: number(one.n_predicted), action: () => selectClass(one) },
    { text: "Rename…", action: () => askName(`Rename ${one.name}`, one.name, "Rename", (name) => gesture({ kind: "rename_class", class: one.id, name })) },
    { text: "Color and key…", action: () => changeMark(one) },
    ...(others.length ? [{ text: "Merge into…", action: () => merge(one, others) }] : []),
    null,
    { text: "Delete…", danger: true, action: () => askYes(`Delete ${one.name}?`, `Its ${count(one.n_labels, "label")} will be taken away. You can undo this.`, "Delete", () => gesture({ kind: "delete_class", class: one.id })) },
  ]);
}

function selectClass(one) {
  if (one.n_predicted) selectWhere((id, certainty) => id === one.id && certainty, one.name);
  else set({ said: `${one.name} has no points yet.` });
}

function selectWhere(fits, from) {
  const { predicted, certainty } = shown(now());
  const rows = [];
  for (let at = 0; at < predicted.length; at++) if (fits(predicted[at], certainty[at])) rows.push(at);
  if (rows.length > MOST_ROWS) set({ said: `These are more than ${number(MOST_ROWS)} points: draw a lasso around some.` });
  else if (rows.length) select({ mode: "replace", rows }, from);
}

/** Choose a color and a key; a key that another class has is exchanged with it. */
function changeMark(one) {
  const { classes, colors } = now().project;
  const list = el("datalist", { id: "class-colors" }, ...colors.map((value) => el("option", { value })));
  const color = el("input", { type: "color", id: "class-color", list: "class-colors" });
  color.value = one.color;
  const owner = (key) => classes.find((other) => other.key === key && other.id !== one.id);
  const key = el("select", { id: "class-key" }, el("option", { value: "", text: "none" }),
    ...KEYS.map((each) => el("option", { value: each, text: owner(each) ? `${each} (now ${shortened(owner(each).name, 30)})` : each })));
  key.value = one.key ?? "";
  const field = (id, text, control) => el("p", { class: "field" }, el("label", { for: id, text }), control);
  openDialog(`Color and key of ${one.name}`, [field("class-color", "Color", color), field("class-key", "Key", key), list], [{ text: "Cancel" }, {
    text: "Change", primary: true,
    action: () => void gesture({ kind: "mark_class", class: one.id, color: color.value, key: key.value || null }),
  }]);
}

function merge(one, others) {
  const choice = el("select", { "aria-label": "Merge into" }, ...others.map((other) => el("option", { value: String(other.id), text: other.name })));
  openDialog(`Merge ${one.name} into`, [choice], [{ text: "Cancel" }, {
    text: "Merge", primary: true,
    action: () => void gesture({ kind: "merge_classes", from: one.id, into: Number(choice.value) }),
  }]);
}
