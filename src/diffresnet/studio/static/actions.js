// What people do, and what the server answers. Gestures are sent one after the other, in order.

import * as api from "./api.js";
import { NO_CLASS, widenClasses } from "./frame.js";
import { afterPaint, dispatch, now, set } from "./store.js";
import { selectionMessage, target } from "./state.js";
import { count } from "./words.js";
import { viewBox } from "./map.js";

let line = Promise.resolve();

/** Say an error in the page; a lost session locks it. */
export function complain(error) {
  if (error instanceof api.Refused) {
    if (error.status === 401) set({ phase: "locked" });
    else set({ error: error.message });
  } else {
    console.error(error);
    set({ error: "The server cannot be reached. Is the command still running?", online: false });
  }
}

async function attempt(work) {
  set({ busy: now().busy + 1 });
  try {
    const found = await work();
    if (!now().online) set({ online: true });
    return found;
  } catch (error) {
    complain(error);
    return null;
  } finally {
    set({ busy: now().busy - 1 });
  }
}

/** Take over a frame; fetch everything where one before it was missed. */
async function take(frame) {
  const missed = frame.arrays.rows && frame.header.version > now().version + 1;
  dispatch({ type: "frame", frame: missed ? await api.getFrame("/api/state") : frame });
  if (!now().learned) afterPaint(catchUp);
}

/** Send a gesture `{kind, ..}`; true once it is on the disk. */
export function gesture(body) {
  const work = line.then(() => attempt(async () => {
    await take(await api.postFrame("/api/gestures", { ...body, tab: api.TAB, view: viewBox() }));
    return true;
  }));
  line = work;
  return work;
}

export const undo = () => now().project?.undo && gesture({ kind: "undo" });
export const redo = () => now().project?.redo && gesture({ kind: "redo" });

/** Send an answer for what is in question now: `{kind, ..}` with its selection. */
export async function answer(body) {
  const aim = target(now());
  if (!aim) {
    set({ said: "Select points first: click one, or draw a lasso." });
    return;
  }
  const selection = aim.kind === "selection" ? selectionMessage(now().selection, now().n) : { rows: Array.from(aim.rows) };
  if (aim.kind === "question") dispatch({ type: "answered", rows: aim.rows });
  const done = await gesture({ ...body, selection });
  if (done && aim.kind === "selection") clearSelection();
  if (!done && aim.kind === "question") refreshQueue();
}

export const labelAs = (id) => answer({ kind: "label", class: id, which: target(now())?.kind === "selection" ? now().which : "all" });
export const labelAsNew = (name) => answer({ kind: "add_class", name });

/** The class that Enter gives: the proposed one of a question, else what the graph thinks. */
export function proposal(state) {
  const aim = target(state);
  if (!aim) return null;
  if (aim.kind === "question") return state.queue[0].proposed;
  if (aim.n > 1) return state.selection.summary?.by_class[0]?.class ?? null;
  const id = state.predicted[aim.rows[0]];
  return id === NO_CLASS ? null : id;
}

export function accept() {
  const id = proposal(now());
  if (id === null) set({ said: "There is no proposal yet: give a class." });
  else labelAs(id);
}

/** Select by a step of the state; then ask what the graph thinks of it. */
export async function select(step, from) {
  dispatch({ type: "select", step, from });
  const { selection } = now();
  if (selection.rows.length === 0) {
    if (now().tab === "selection") set({ tab: "ask" });
    return;
  }
  set({ tab: "selection" });
  summarize();
}

export async function summarize() {
  const { selection } = now();
  if (selection.rows.length === 0) return;
  const summary = await attempt(() => api.postJson("/api/selection", { selection: selectionMessage(selection, now().n) }));
  if (!summary) return;
  dispatch({ type: "summary", summary, of: selection });
  set({ said: summary.said });
}

export function clearSelection() {
  dispatch({ type: "select", step: null });
  if (now().tab === "selection") set({ tab: "ask" });
}

let queueTimer = 0;
/** Ask for the queue anew, once, shortly after the last call. */
export function refreshQueue(wait = 0) {
  clearTimeout(queueTimer);
  queueTimer = setTimeout(async () => {
    const version = now().version;
    const queue = await attempt(() => api.get("/api/queue?n=12"));
    if (queue && now().version === version) dispatch({ type: "queue", queue, version });
  }, wait);
}

export async function refreshAudit() {
  const audit = await attempt(() => api.get("/api/audit"));
  if (audit) set({ audit });
}

export async function explain(row) {
  if (row < 0) return;
  if (now().explained?.row === row) return set({ explained: null });
  const version = now().version;
  const explained = await attempt(() => api.get(`/api/explain/${row}`));
  if (explained && now().version === version) set({ explained, said: explained.sentence });
}

export async function find(q) {
  if (!q.trim()) return set({ search: { q: "", n: null } });
  const found = await attempt(() => api.get(`/api/search?q=${encodeURIComponent(q.trim())}`));
  if (!found) return;
  set({ search: { q, n: found.n } });
  if (found.rows.length) await select({ mode: "replace", rows: found.rows }, `“${q.trim()}”`);
  const cut = found.n > found.rows.length ? `, the first ${count(found.rows.length, "point")} selected` : "";
  set({ said: `${count(found.n, "point")} with “${q.trim()}”${cut}.` });
}

let wanted = null;
let trying = false;
let trialTurn = 0;
/** Show what the model says again; a strength that is still being asked for is forgotten. */
export function dropTrial() {
  wanted = null;
  trialTurn++;
  set({ playing: false, trial: null });
}

/** Show what another strength of diffusion would give; of many calls only the last counts. */
export async function tryStrength(value) {
  wanted = value;
  if (trying) return;
  trying = true;
  while (wanted !== null) {
    const next = wanted;
    wanted = null;
    const version = now().version;
    const turn = trialTurn;
    const frame = await attempt(() => api.postFrame("/api/strength", { value: next }));
    if (frame && now().version === version && turn === trialTurn) dispatch({ type: "trial", values: { trial: trialOf(next, frame) } });
  }
  trying = false;
}

function trialOf(value, { arrays }) {
  return { value, predicted: widenClasses(arrays.predicted), certainty: arrays.certainty };
}

export async function exportFile(name) {
  await attempt(async () => {
    await api.download(name);
    set({ said: `Exported ${name}.` });
  });
}

export async function importFile(file) {
  await attempt(async () => {
    await take(await api.postFrame("/api/import", { name: file.name, text: await file.text(), tab: api.TAB }));
  });
}

/** Fetch what was learned from an answer after the first look, or what another tab made. */
export async function catchUp() {
  await attempt(async () => dispatch({ type: "frame", frame: await api.getFrame("/api/learned") }));
}

let mapTurn = 0;
/** Fetch the map as it is now; of several answers only the last one that was asked for counts. */
export async function fetchMap() {
  const turn = ++mapTurn;
  const frame = await attempt(() => api.getFrame("/api/map"));
  if (frame && turn === mapTurn) dispatch({ type: "frame", frame });
}
