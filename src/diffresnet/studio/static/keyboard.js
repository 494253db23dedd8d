// Keys to commands, in one place.

import { accept, answer, clearSelection, dropTrial, explain, labelAs, redo, select, undo } from "./actions.js";
import { byId, toMap } from "./dom.js";
import { COLORINGS, WHICH, combine, pointOf, classById, target } from "./state.js";
import { meaning, whereIs } from "./keys.js";
import { nearestRows, step } from "./geometry.js";
import { newClass } from "./classes.js";
import { nudge, togglePlay } from "./spread.js";
import { now, set } from "./store.js";
import { openExport, openHelp, setSheet, toggleTheme } from "./chrome.js";
import { percent } from "./words.js";
import { placesNow, rowAt, showAll, showRow, sizeNow, zoomBy } from "./map.js";
import { probabilityOf } from "./frame.js";

const openTab = (tab) => {
  set({ tab });
  byId(`tab-${tab}`).focus();
};
const turn = (values, value) => values[(values.indexOf(value) + 1) % values.length];

const DO = {
  accept, undo, redo,
  none: () => answer({ kind: "none" }),
  skip: () => answer({ kind: "skip" }),
  unlabel: () => answer({ kind: "unlabel" }),
  newClass: () => nameClass(),
  escape: () => escape(),
  toggle: () => toggle(),
  which: () => now().selection.rows.length > 1 && set({ which: turn(WHICH, now().which) }),
  grow: () => grow(),
  lasso: () => set({ tool: "lasso" }),
  pan: () => set({ tool: "pan" }),
  zoomIn: () => zoomBy(1.6),
  zoomOut: () => zoomBy(1 / 1.6),
  fit: showAll,
  color: () => set({ coloring: turn(COLORINGS, now().coloring) }),
  before: () => now().before && set({ map: now().map === "before" ? "after" : "before" }),
  play: togglePlay,
  weaker: () => nudge(-1),
  stronger: () => nudge(1),
  explain: () => explain(rowInQuestion()),
  ask: () => openTab("ask"),
  selection: () => openTab("selection"),
  check: () => openTab("check"),
  search: () => byId("search").focus(),
  export: openExport,
  theme: toggleTheme,
  help: openHelp,
};

export function startKeyboard() {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || byId("dialog").open || event.isComposing) return;
    const { key, shiftKey: shift, altKey: alt } = event;
    const what = meaning({ key, shift, alt, ctrl: event.ctrlKey || event.metaKey }, whereIs(event.target), now().project?.classes ?? []);
    if (!what || now().phase !== "ready") return;
    event.preventDefault();
    if (what.class !== undefined) labelAs(what.class);
    else if (what.arrow) walk(what.arrow, what.extend);
    else DO[what.command]();
  });
}

function rowInQuestion() {
  const aim = target(now());
  return aim?.n === 1 ? aim.rows[0] : now().cursor;
}

function cursorOrMiddle() {
  if (now().cursor >= 0) return now().cursor;
  return rowAt(sizeNow().width / 2, sizeNow().height / 2, Infinity);
}

/** Move the cursor to the nearest point in a direction, and say what is there. */
function walk(way, extend) {
  const started = now().cursor >= 0;
  const row = started ? step(placesNow(), now().cursor, way) : cursorOrMiddle();
  if (row < 0) return;
  if (now().tab === "ask") set({ tab: "selection" });
  set({ cursor: row });
  showRow(row);
  if (extend) select({ mode: "add", rows: [row] });
  const point = pointOf(now(), row);
  const one = classById(now(), point.given ?? point.predicted);
  const share = probabilityOf(point.certainty);
  set({ hover: row, said: one ? `${one.name}, ${point.given !== null ? "labeled" : percent(share)}` : share === null ? "No label reaches this point" : "none of these" });
}

function toggle() {
  const row = now().cursor;
  if (row < 0) return;
  const chosen = now().selection.rows.includes(row);
  select({ mode: chosen ? "remove" : "add", rows: [row] });
}

function grow() {
  const row = cursorOrMiddle();
  if (row < 0) return;
  const { rows } = now().selection;
  const near = nearestRows(placesNow(), row, Math.min(500, rows.length + 10));
  const fresh = near.filter((other) => !rows.includes(other)).slice(0, 10);
  select({ mode: "add", rows: Array.from(combine(fresh, [], "add")) });
}

/** The field for a class beside what is in question; a dialog where nothing is. */
function nameClass() {
  const aim = target(now());
  if (!aim) return newClass();
  const field = byId(aim.kind === "question" ? "ask-class" : "selection-class");
  if (aim.kind === "cursor") {
    select({ mode: "replace", rows: [aim.rows[0]] });
  }
  setSheet("half");
  field.focus();
}

function escape() {
  const state = now();
  if (document.activeElement?.matches("input")) toMap();
  else if (state.error) set({ error: null });
  else if (state.playing || state.trial) dropTrial();
  else if (state.explained) set({ explained: null });
  else if (state.selection.rows.length) clearSelection();
  else set({ hover: -1 });
}
