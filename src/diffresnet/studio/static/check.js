// Labels that disagree with their surroundings, to look at again.

import { byId, el, fill } from "./dom.js";
import { gesture, refreshAudit } from "./actions.js";
import { mark, preview } from "./parts.js";
import { classById } from "./state.js";
import { percent, sentence } from "./words.js";
import { set, watch, watchLater } from "./store.js";
import { showRow } from "./map.js";

const NONE = "none of these";

export function startCheck() {
  watch(["tab", "version", "learned"], (state) => state.tab === "check" && state.learned && state.phase === "ready" && refreshAudit());
  watchLater(["audit", "project", "items", "theme", "tab"], (state) => state.tab === "check" && draw(state));
}

function draw(state) {
  const { audit } = state;
  byId("check-empty").hidden = !audit || audit.length > 0;
  fill(byId("check-list"), ...(audit ?? []).map((one) => entry(state, one)));
}

function entry(state, one) {
  const given = classById(state, one.given);
  const proposed = classById(state, one.proposed);
  const selection = { rows: [one.row] };
  const relabel = () => gesture(proposed ? { kind: "label", class: one.proposed, selection, which: "all" } : { kind: "none", selection });
  return el("li", { class: "audit" },
    el("button", { type: "button", class: "tile", "data-key": `audit-${one.row}`, "aria-label": "Show on the map", onclick: () => { set({ cursor: one.row }); showRow(one.row); } }, preview(state, one.row, "check")),
    el("div", { class: "audit-words" },
      el("p", {}, el("span", { class: "tag" }, mark(state, given), el("span", { text: given?.name ?? NONE }), el("span", { class: "note", text: `given; the graph says ${percent(one.probability_of_given)}` }))),
      el("p", { class: "note", text: sentence(one.sentence) }),
      el("div", { class: "row-buttons" },
        proposed !== given ? el("button", { type: "button", class: "quiet", "data-key": `change-${one.row}`, onclick: relabel }, el("span", { text: `Change to ${proposed?.name ?? NONE}` })) : null,
        el("button", { type: "button", class: "quiet", "data-key": `drop-${one.row}`, onclick: () => gesture({ kind: "unlabel", selection: { rows: [one.row] } }) }, el("span", { text: "Take label away" })))));
}
