// The queue: one question at a time, with its reason and a proposal.

import { accept, answer, explain } from "./actions.js";
import { byId, el, fill, keyCap } from "./dom.js";
import { answerButtons, makePicker } from "./picker.js";
import { classById } from "./state.js";
import { count, sentence } from "./words.js";
import { explanation, idLine, mark, preview, sureness } from "./parts.js";
import { itemOf } from "./items.js";
import { now, set, watch, watchLater } from "./store.js";
import { showRow } from "./map.js";

const SHOWN = ["queue", "project", "theme", "explained", "items", "tab"];

export function startAsk() {
  byId("ask-picker").replaceWith(makePicker("ask-class"));
  watchLater(SHOWN, (state) => state.tab === "ask" && draw(state));
  watch(["queue", "tab", "selection"], point);
}

/** The question is where the cursor is on the map, unless points are selected. */
function point(state) {
  const first = state.queue[0];
  if (!first || state.tab !== "ask" || state.selection.rows.length || state.cursor === first.row) return;
  set({ cursor: first.row });
  showRow(first.row);
}

function draw(state) {
  const first = state.queue[0];
  byId("ask-empty").hidden = Boolean(first) || state.phase !== "ready" || state.queueVersion !== state.version;
  byId("ask-card").hidden = !first;
  if (!first) return;
  fill(byId("ask-question"), ...question(state, first));
  fill(byId("ask-classes"), ...answerButtons(state, [first.proposed, itemOf(first.row)?.second].filter((id) => id !== null && id !== undefined)));
  fill(byId("ask-other"), ...others(state, first));
  byId("ask-next-title").hidden = state.queue.length < 2;
  fill(byId("ask-next"), ...state.queue.slice(1).map((one) => later(state, one)));
}

function question(state, first) {
  const proposed = classById(state, first.proposed);
  return [
    el("div", { class: "question-item" }, preview(state, first.row, "large"),
      el("div", {}, el("p", { class: "reason", text: sentence(first.reason) }), idLine(state, first.row))),
    proposed ? el("button", { type: "button", class: "accept", "data-key": "accept", onclick: accept },
      mark(state, proposed), el("span", { class: "name", text: proposed.name }),
      el("span", { class: "note", text: sureness(state, first.probability) }), keyCap("Enter")) : null,
  ];
}

function others(state, first) {
  const button = (text, key, action, name) =>
    el("button", { type: "button", class: "quiet", "data-key": name, onclick: action }, el("span", { text }), keyCap(key));
  return [
    button("None of these", "0", () => answer({ kind: "none" }), "none"),
    button("Skip", ".", () => answer({ kind: "skip" }), "skip"),
    first.proposed !== null ? button(state.explained?.row === first.row ? "Hide why" : "Why?", "⇧E", () => explain(first.row), "why") : null,
    explanation(state, first.row),
  ];
}

function later(state, one) {
  const item = itemOf(one.row);
  return el("button", {
    type: "button", class: "tile", "data-key": `later-${one.row}`, title: one.reason,
    "aria-label": `Answer ${item?.id ?? `point ${one.row}`} next: ${one.reason}`,
    onclick: () => bringForward(one.row),
  }, preview(state, one.row, "later"));
}

function bringForward(row) {
  const { queue } = now();
  const one = queue.find((other) => other.row === row);
  set({ queue: [one, ...queue.filter((other) => other !== one)], said: `${count(queue.length, "question")} in the queue.` });
}
