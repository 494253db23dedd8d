// The one state object, and what changes it. Everything here is pure.

import { NO_CLASS, patch, widenClasses } from "./frame.js";
import { rowsInside } from "./geometry.js";

const NOTHING = new Uint32Array(0);
export const NO_SELECTION = { rows: NOTHING, summary: null, from: null };
export const WHICH = ["all", "agreeing", "informative"];
export const COLORINGS = ["class", "certainty", "reached"];

export const START = {
  phase: "connecting", // connecting, locked, opening, ready, failed
  online: true,
  busy: 0,
  project: null,
  version: -1,
  learned: true, // false while what is shown is a first look
  n: 0,
  xy: null,
  before: null,
  predicted: null,
  certainty: null,
  given: new Map(),
  skipped: new Set(),
  selection: NO_SELECTION,
  which: "all",
  cursor: -1,
  hover: -1,
  tool: "lasso",
  coloring: "class",
  map: "after",
  tab: "ask",
  theme: "light",
  queue: [],
  queueVersion: -1, // for which the questions were chosen
  audit: null,
  explained: null,
  trial: null, // {value, predicted, certainty}: diffusion of another strength, only shown
  playing: false,
  search: { q: "", n: null },
  said: "",
  error: null,
};

/** Return the state after an action `{type, ..}`. */
export function reduce(state, action) {
  const change = CHANGES[action.type];
  return change ? { ...state, ...change(state, action) } : { ...state, ...action.values };
}

const CHANGES = {
  project: (state, { project }) =>
    project.stage === "ready" && project.version < state.version ? {} : { project, phase: phaseOf(project, state) },
  frame: applyFrame,
  select: applySelection,
  summary: (state, { summary, of }) =>
    state.selection === of ? { selection: { ...state.selection, summary } } : {},
  queue: (state, { queue, version }) => ({ queue: mergeQueue(state.queue, queue, isOpen(state)), queueVersion: version }),
  answered: (state, { rows }) => {
    const gone = new Set(rows);
    return { queue: state.queue.filter((one) => !gone.has(one.row)) };
  },
};

function phaseOf(project, { xy }) {
  if (project.stage === "failed") return "failed";
  return xy ? "ready" : "opening";
}

/** Take over a frame of the server; one that is older than what is shown changes nothing. */
function applyFrame(state, { frame: { header, arrays } }) {
  const stale = header.version < state.version;
  const values = {};
  if (arrays.xy) values.xy = arrays.xy;
  if (arrays.before) values.before = arrays.before;
  if (arrays.xy && !state.predicted) values.n = header.n;
  if (stale) return values;
  if (header.project) values.project = header.project;
  if (header.said) values.said = header.said;
  values.version = header.version;
  if (arrays.predicted) {
    values.n = header.n;
    values.predicted = patch(state.predicted, widenClasses(arrays.predicted), arrays.rows);
    values.certainty = patch(state.certainty, arrays.certainty, arrays.rows);
    values.trial = null;
    values.explained = null;
    values.learned = !header.is_first && (state.learned || !arrays.rows);
  }
  if (arrays.labeled) {
    values.given = new Map(Array.from(arrays.labeled, (row, at) => [row, arrays.given[at]]));
  }
  if (arrays.skipped) values.skipped = new Set(arrays.skipped);
  return values;
}

/** Add a step `{mode, polygon, map}` or `{mode, rows}`; null clears. */
function applySelection(state, { step, from = null }) {
  const cleared = { selection: NO_SELECTION, which: "all", explained: null };
  if (!step) return cleared;
  const places = step.map === "before" ? state.before : state.xy;
  const found = step.polygon ? rowsInside(step.polygon, places) : Uint32Array.from(step.rows);
  const fresh = step.mode === "replace" || state.selection.rows.length === 0;
  if (fresh && step.mode === "remove") return {};
  const rows = fresh ? found : combine(state.selection.rows, found, step.mode);
  if (rows.length === 0) return cleared;
  return { ...cleared, selection: { rows, summary: null, from } };
}

/** Rows of both (add), or of the first without the second (remove), in order. */
export function combine(rows, others, mode) {
  const set = new Set(rows);
  for (const row of others) mode === "add" ? set.add(row) : set.delete(row);
  return Uint32Array.from(set).sort();
}

const MOST_ROWS = 10000;

/** What to send for a selection of `n` points: its rows while they are few, else a bit for each point. */
export function selectionMessage({ rows }, n) {
  if (rows.length <= MOST_ROWS) return { rows: Array.from(rows) };
  const bytes = new Uint8Array(Math.ceil(n / 8));
  for (const row of rows) bytes[row >> 3] |= 1 << (row & 7);
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return { bits: btoa(text) };
}

export function isOpen(state) {
  return (row) => !state.given.has(row) && !state.skipped.has(row);
}

/** The new queue, with the question that is on the screen still first while it is open. */
export function mergeQueue(old, fresh, open) {
  const first = old[0];
  if (!first || !open(first.row)) return fresh;
  const again = fresh.find((one) => one.row === first.row);
  return [again ?? first, ...fresh.filter((one) => one.row !== first.row)];
}

/** The rows that a key labels now: the selection, else the question, else the cursor. */
export function target(state) {
  if (state.selection.rows.length) {
    return { kind: "selection", rows: state.selection.rows, n: state.selection.rows.length };
  }
  if (state.tab === "ask" && state.queue.length) return { kind: "question", rows: [state.queue[0].row], n: 1 };
  if (state.cursor >= 0) return { kind: "cursor", rows: [state.cursor], n: 1 };
  return null;
}

/** Class ids and certainty bytes as they are drawn: those of a trial while there is one. */
export function shown(state) {
  return state.trial ?? { predicted: state.predicted, certainty: state.certainty };
}

export function classById(state, id) {
  return state.project?.classes.find((one) => one.id === id) ?? null;
}

/** What is known of a point here, without asking the server. */
export function pointOf(state, row) {
  const { predicted, certainty } = shown(state);
  const given = state.given.get(row);
  return {
    row,
    given: given === undefined || given === NO_CLASS ? null : given,
    isNone: given === NO_CLASS,
    skipped: state.skipped.has(row),
    predicted: predicted[row] === NO_CLASS ? null : predicted[row],
    certainty: certainty[row],
  };
}

/** Slider places 0 to 1 and strengths: finer where diffusion is weak. */
export function strengthAt(share, { least, most }) {
  return least + (most - least) * share * share;
}

export function placeOf(value, { least, most }) {
  return most > least ? Math.sqrt(Math.max(0, (value - least) / (most - least))) : 0;
}

const MOST_MATCHES = 6;

/**
 * What a typed name may mean, the likeliest first: the class of that name, those that begin with it, a new one
 * (its id is null), those that hold it.
 */
export function classChoices(classes, typed) {
  const name = typed.trim();
  if (!name) return [];
  const text = name.toLowerCase();
  const rank = (one) => {
    const own = one.name.toLowerCase();
    return [one.name === name, own === text, own.startsWith(text), own.includes(text)].indexOf(true);
  };
  const among = (least, most) => classes.filter((one) => rank(one) >= least && rank(one) <= most).sort((a, b) => rank(a) - rank(b));
  const begins = among(0, 2).slice(0, MOST_MATCHES);
  const fresh = classes.some((one) => one.name === name) ? [] : [{ id: null, name }];
  return [...begins, ...fresh, ...among(3, 3).slice(0, MOST_MATCHES - begins.length)];
}
