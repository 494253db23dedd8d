// The studio's page: connect, load, and listen.

import * as api from "./api.js";
import { catchUp, clearSelection, complain, fetchMap, refreshQueue, select, summarize, tryStrength } from "./actions.js";
import { contextIsLost, pixelOf, polygonOf, screenOf, startMap } from "./map.js";
import { dispatch, isWaiting, now, set, watch } from "./store.js";
import { isFetching } from "./items.js";
import { startAsk } from "./ask.js";
import { startCard } from "./card.js";
import { startCheck } from "./check.js";
import { startChrome } from "./chrome.js";
import { startClasses } from "./classes.js";
import { startKeyboard } from "./keyboard.js";
import { startPointer } from "./pointer.js";
import { startProgress } from "./progress.js";
import { startSelection } from "./selection.js";
import { startSpread } from "./spread.js";

function pick(row, mode) {
  if (row >= 0) {
    set({ cursor: row });
    select({ mode, rows: [row] });
  } else if (mode === "replace") clearSelection();
}

function lasso(polygon, mode) {
  select({ mode, polygon, map: now().map });
}

/** Load everything once the server is ready. */
async function load() {
  dispatch({ type: "frame", frame: await api.getFrame("/api/points") });
  dispatch({ type: "project", project: await api.get("/api/project") });
  refreshQueue();
}

let loading = false;
async function follow(project) {
  dispatch({ type: "project", project });
  const isBehind = project.version > now().version || !now().learned;
  if (project.stage === "ready" && now().xy && isBehind) catchUp();
  if (project.stage !== "ready" || now().xy || loading) return;
  loading = true;
  await load().catch(complain);
  loading = false;
}

function onEvent(type, data) {
  if (type === "project") follow(data);
  else if (type === "layout") now().xy && fetchMap();
  else if (type === "version" && data.tab !== api.TAB && data.version > now().version) catchUp();
}

let wasBroken = false;
/** After a break the server may have changed or begun anew: look again. */
async function onOnline(online) {
  const back = online && wasBroken;
  wasBroken = !online;
  set({ online });
  if (!back) return;
  set({ error: null, said: "Connected again." });
  try {
    const project = await api.get("/api/project");
    await follow(project);
    if (now().xy && project.version !== now().version) {
      set({ version: -1 });
      await catchUp();
    }
    if (now().xy) refreshQueue();
  } catch (error) {
    complain(error);
  }
}

async function start() {
  startChrome();
  const sees = startMap();
  if (!sees) {
    set({ phase: "blind" });
    return;
  }
  for (const begin of [startClasses, startProgress, startSpread, startAsk, startSelection, startCheck, startCard, startKeyboard]) begin();
  startPointer(pick, lasso);
  watch(["version", "learned"], (state, before) => {
    if (state.phase !== "ready" || before.version < 0 || !state.learned) return;
    refreshQueue(30);
    summarize();
  });
  try {
    await api.openSession();
    await follow(await api.get("/api/project"));
    await api.listen(onEvent, onOnline);
  } catch (error) {
    complain(error);
  }
}

/** For tests: what the page knows, and what it drew. */
globalThis.studio = {
  brief: () => {
    const { phase, version, queueVersion, busy } = now();
    return { phase, version, queueVersion, busy: busy + (isWaiting() || isFetching() ? 1 : 0) };
  },
  debug: () => {
    const { phase, version, learned, n, predicted, certainty, given, skipped, selection, queue, queueVersion, cursor, tab, map, coloring, theme, trial, busy, said } = now();
    return {
      phase, version, learned, n, predicted: predicted && Array.from(predicted), certainty: certainty && Array.from(certainty),
      given: Object.fromEntries(given), skipped: [...skipped], selected: Array.from(selection.rows), summary: selection.summary,
      queue, queueVersion, cursor, tab, map, coloring, theme, trial: trial?.value ?? null, busy: busy + (isWaiting() || isFetching() ? 1 : 0), said, strength: now().project?.strength ?? null, contextIsLost: contextIsLost(),
    };
  },
  pixelOf, screenOf, polygonOf, tryStrength,
};

start();
