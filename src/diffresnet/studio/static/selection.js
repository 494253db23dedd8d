// The selection: what the graph thinks of it, what to do with it, and its points.

import { answer, clearSelection, explain, labelAs, proposal, select } from "./actions.js";
import { byId, el, fill, keyCap } from "./dom.js";
import { answerButtons, makePicker } from "./picker.js";
import { classById, pointOf } from "./state.js";
import { count, number, percent } from "./words.js";
import { explanation, idLine, mark, preview, segmented, verdict } from "./parts.js";
import { adapt } from "./palette.js";
import { itemOf } from "./items.js";
import { set, watchLater } from "./store.js";

const GRID = 200;

export function startSelection() {
  byId("selection-picker").replaceWith(makePicker("selection-class"));
  byId("clear-selection").addEventListener("click", clearSelection);
  watchLater(["selection", "project", "theme", "explained", "items", "which", "tab", "predicted"], (state) => state.tab === "selection" && draw(state));
}

function draw(state) {
  const { rows } = state.selection;
  byId("selection-empty").hidden = rows.length > 0;
  byId("selection-card").hidden = rows.length === 0;
  if (rows.length === 0) return;
  const one = rows.length === 1;
  const { from } = state.selection;
  byId("selection-n").textContent = number(rows.length);
  byId("selection-of").textContent = `${one ? "point" : "points"} ${from ? `of ${from}` : "selected"}`;
  fill(byId("selection-head"), ...(one ? single(state, rows[0]) : many(state)));
  const counts = new Map(state.selection.summary?.by_class.map((each) => [each.class, number(each.n)]) ?? []);
  const first = [...counts.keys()];
  fill(byId("selection-classes"), ...answerButtons(state, first, one ? new Map() : counts));
  fill(byId("selection-other"), ...others(state, rows));
  fill(byId("selection-grid"), ...(one ? [] : Array.from(rows.slice(0, GRID), (row) => tile(state, row))));
  byId("selection-more").textContent = rows.length > GRID ? `The first ${GRID} of ${number(rows.length)} are shown.` : "";
}

function many(state) {
  const { rows, summary } = state.selection;
  const agree = classById(state, proposal(state));
  const n = summary?.by_class[0]?.n ?? 0;
  return [
    summary ? bar(state, summary) : null,
    summary ? thinks(state, summary) : el("p", { class: "note", text: "Asking the graph…" }),
    el("p", { class: "label", text: "Label" }),
    segmented("Which points to label", [
      ["all", `All ${number(rows.length)}`, "Label every selected point"],
      ["agreeing", "Those that agree", "Label only points for which the graph predicts the class you give"],
      ["informative", "Ten that say most", "Label the ten points that tell most about the others"],
    ], state.which, (which) => set({ which })),
    agree ? el("button", { type: "button", class: "accept", "data-key": "accept", onclick: () => labelAs(agree.id) },
      mark(state, agree), el("span", { class: "name", text: agree.name }),
      el("span", { class: "note", text: `${percent(n / rows.length)} agree` }), keyCap("Enter")) : null,
  ];
}

function parts(state, summary) {
  const known = summary.by_class.map((each) => ({ n: each.n, one: classById(state, each.class) }));
  const others = [{ n: summary.n_none_predicted, name: "none of these" }, { n: summary.n_unreached, name: "unreached" }];
  return [...known, ...others].filter((part) => part.n);
}

/** Shares of the classes as one bar. */
function bar(state, summary) {
  const pieces = parts(state, summary).map(({ n, one, name }) => {
    const piece = el("span", { title: `${one?.name ?? name}: ${number(n)}` });
    piece.style.flexGrow = String(n);
    if (one) piece.style.background = adapt(one.color, state.theme);
    return piece;
  });
  return el("div", { class: "share-bar", "aria-hidden": "true" }, ...pieces);
}

function thinks(state, summary) {
  const shown = parts(state, summary).slice(0, 6).map(({ n, one, name }) =>
    el("li", {}, mark(state, one), el("span", { class: "name", text: one?.name ?? name }), el("span", { class: "note", text: number(n) })));
  const rest = parts(state, summary).length - shown.length;
  return el("div", {}, el("p", { class: "label", text: "The graph thinks" }),
    el("ul", { class: "thinks" }, ...shown, rest > 0 ? el("li", { class: "note", text: `and ${count(rest, "other class", "other classes")}` }) : null),
    summary.n_labeled ? el("p", { class: "note", text: `${count(summary.n_labeled, "of them has", "of them have")} a label already.` }) : null);
}

function single(state, row) {
  const item = itemOf(row);
  const point = pointOf(state, row);
  const second = classById(state, item?.second);
  return [
    el("div", { class: "question-item" }, preview(state, row, "large"),
      el("div", {}, el("p", { class: "verdict" }, verdict(state, row),
        second && point.given === null ? el("span", { class: "note", text: `or ${second.name}, ${percent(item.second_probability)}` }) : null),
      point.skipped ? el("p", { class: "note", text: "Skipped." }) : null, idLine(state, row))),
  ];
}

function others(state, rows) {
  const button = (text, key, action, name) =>
    el("button", { type: "button", class: "quiet", "data-key": name, onclick: action }, el("span", { text }), keyCap(key));
  const labeled = rows.length <= 2000 && rows.some((row) => state.given.has(row) || state.skipped.has(row));
  return [
    button("None of these", "0", () => answer({ kind: "none" }), "none"),
    button("Skip", ".", () => answer({ kind: "skip" }), "skip"),
    labeled || rows.length > 2000 ? button("Take label away", "⌫", () => answer({ kind: "unlabel" }), "unlabel") : null,
    rows.length === 1 ? button(state.explained?.row === rows[0] ? "Hide why" : "Why?", "⇧E", () => explain(rows[0]), "why") : null,
    rows.length === 1 ? explanation(state, rows[0]) : null,
  ];
}

function tile(state, row) {
  const point = pointOf(state, row);
  const one = classById(state, point.given ?? point.predicted);
  const name = point.isNone || (!one && point.certainty) ? "none of these" : one ? `${point.given !== null ? "labeled " : ""}${one.name}` : "unreached";
  return el("button", {
    type: "button", class: "tile", "data-key": `tile-${row}`, title: name, "aria-label": `${itemOf(row)?.id ?? `point ${row}`}, ${name}`,
    onpointerenter: () => set({ hover: row }), onpointerleave: () => set({ hover: -1 }), onfocus: () => set({ cursor: row }),
    onclick: (event) => select({ mode: event.altKey ? "remove" : "replace", rows: [row] }),
  }, preview(state, row, "grid"), el("span", { class: "corner" }, mark(state, point.isNone ? null : one)));
}
