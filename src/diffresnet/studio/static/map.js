// The map on the screen: what is drawn follows the state; the view (where one looks) lives here.

import { anchors, fitBox, fitView, mapToWorld, nearest, toScreen, toWorld, worldToMap, zoomAt, panBy } from "./geometry.js";
import { byId } from "./dom.js";
import { drawOverlay } from "./overlay.js";
import { makeRenderer, pointSize } from "./renderer.js";
import { now, watch } from "./store.js";
import { shown } from "./state.js";

const TRAVEL_MS = 800;
const GLIDE_MS = 260;
const HIT_RADIUS = 14;
const NARROW = 520;
const EDGE = 30;
const MANY = 120000;
const REST_MS = 250;
const SLOW_MS = 90;
const SLEEP_MS = 3000;
const NAMING_MS = 50;
const INSETS = { left: 60, right: 40, top: 30, bottom: 84 }; // tools and bars lie over the map
const SMALL_INSETS = { left: 18, right: 18, top: 54, bottom: 34 };
const still = matchMedia("(prefers-reduced-motion: reduce)");

const canvas = byId("points");
const overlay = byId("overlay");
const size = { width: 1, height: 1 };
let renderer = null;
let view = { x: 0, y: 0, scale: 100 };
let home = 100; // the scale that shows everything
let atHome = true; // until somebody moves the map
let boxes = {};
let travel = { at: 1, since: 0, ms: TRAVEL_MS };
let glide = null;
let drawn = null; // the map whose places are the goal
let names = [];
let unnamed = true;
let naming = 0;
let lasso = null;
let asked = false;
let stale = true; // the points, not only what lies over them
let moved = { at: -Infinity, drawn: -Infinity, slow: false, timer: 0 };

export const motionIsReduced = () => still.matches;
export const viewNow = () => view;
export const sizeNow = () => size;
export const placesNow = () => (now().map === "before" ? now().before : now().xy);

/** Start; false where the browser has no WebGL2. */
export function startMap() {
  renderer = makeRenderer(canvas);
  if (!renderer) return false;
  new ResizeObserver(resize).observe(byId("stage"));
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => {
    renderer = makeRenderer(canvas);
    drawn = null;
    syncAll();
  });
  watch(["xy", "before", "map"], syncPlaces);
  watch(["predicted", "certainty", "trial"], syncLabels);
  watch(["given"], syncStars);
  watch(["selection"], (state) => { renderer.setSelected(state.selection.rows); redraw(); });
  watch(["project", "theme", "coloring"], syncLook);
  watch(["hover", "cursor", "explained"], redrawOverlay);
  return true;
}

function syncAll() {
  syncPlaces(now());
  syncLabels(now());
  syncStars(now());
  renderer.setSelected(now().selection.rows);
  syncLook(now());
}

function syncPlaces(state) {
  if (!state.xy) return;
  const goal = state.map === "before" && state.before ? state.before : state.xy;
  if (goal === drawn) return;
  const first = drawn === null || drawn.length !== goal.length;
  const start = first ? goal : drawn;
  const startBox = first ? fitBox(goal) : boxes.goal;
  boxes = { goal: fitBox(goal) };
  renderer.setPlaces(start, startBox, goal, boxes.goal);
  drawn = goal;
  travel = { at: first || still.matches ? 1 : 0, since: performance.now(), ms: TRAVEL_MS };
  if (first || atHome) fitAll();
  syncNames();
  redraw();
}

function syncLabels(state) {
  const { predicted, certainty } = shown(state);
  if (!predicted) return;
  renderer.setLabels(predicted, certainty);
  syncNames();
  redraw();
}

function syncStars(state) {
  if (state.xy) renderer.setStars(state.given);
  redraw();
}

function syncLook(state) {
  renderer.setLook(state.project?.classes ?? [], state.theme, state.coloring);
  syncNames();
  redraw();
}

/** Names of classes on the map are found once a drawing; of very many points, after it. */
function syncNames() {
  unnamed = true;
}

function findNames() {
  unnamed = false;
  const state = now();
  const { predicted, certainty } = shown(state);
  if (!predicted || !drawn || state.coloring !== "class") names = [];
  else names = anchors(drawn, boxes.goal, predicted, certainty, (state.project?.classes ?? []).map((one) => one.id));
}

function nameLater() {
  clearTimeout(naming);
  naming = setTimeout(() => { findNames(); redrawOverlay(); }, NAMING_MS);
}

function resize() {
  const box = byId("stage").getBoundingClientRect();
  const ratio = devicePixelRatio;
  const [width, height] = [Math.max(1, box.width), Math.max(1, box.height)];
  Object.assign(size, { width, height });
  for (const each of [canvas, overlay]) {
    each.width = Math.round(width * ratio);
    each.height = Math.round(height * ratio);
  }
  if (atHome) fitAll();
  stale = true;
  draw(performance.now());
}

/** Ask for one drawing at the next frame of the screen. */
export function redraw() {
  stale = true;
  redrawOverlay();
}

/** The same, of what lies over the points only: they may be a million. */
function redrawOverlay() {
  if (asked) return;
  asked = true;
  requestAnimationFrame((time) => {
    asked = false;
    draw(time);
  });
}

const ease = (share) => (share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2);

function draw(time) {
  if (!renderer) return;
  if (travel.at < 1) travel.at = Math.min(1, (time - travel.since) / travel.ms);
  if (glide) {
    const share = Math.min(1, Math.max(0, (time - glide.since) / GLIDE_MS));
    const mixed = (name) => glide.from[name] + (glide.to[name] - glide.from[name]) * ease(share);
    const scale = glide.from.scale * (glide.to.scale / glide.from.scale) ** ease(share);
    view = { x: mixed("x"), y: mixed("y"), scale };
    if (share === 1) glide = null;
  }
  if (stale || travel.at < 1 || glide) {
    renderer.draw(view, size, ease(travel.at), view.scale / home, devicePixelRatio, thinning(time));
  }
  stale = false;
  if (unnamed && now().n > MANY) nameLater();
  else if (unnamed) findNames();
  unnamed = false;
  const context = overlay.getContext("2d");
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  const extra = { lasso, names: travel.at === 1 ? names : [], screenOf, screenOfWorld, radius: pointSize(now().n, view.scale / home, size) / 2, time, still: still.matches };
  drawOverlay(context, size, now(), extra);
  if (travel.at < 1 || glide) redraw();
  else if (now().explained && !still.matches) redrawOverlay();
}

/** While the map moves too slowly, every how many-th point to draw; all of them when it rests. */
function thinning(time) {
  const moves = travel.at < 1 || glide || time - moved.at < REST_MS;
  if (!moves || now().n < MANY) return 1;
  const wait = time - moved.drawn;
  moved.drawn = time;
  moved.slow ||= wait > SLOW_MS && wait < SLEEP_MS;
  clearTimeout(moved.timer);
  moved.timer = setTimeout(redraw, REST_MS + 50);
  return moved.slow ? Math.ceil(now().n / MANY) : 1;
}

export function screenOf(row) {
  const [x, y] = mapToWorld(boxes.goal, drawn[2 * row], drawn[2 * row + 1]);
  return toScreen(view, size, x, y);
}

const screenOfWorld = (x, y) => toScreen(view, size, x, y);

/** The row under a place on the screen, or -1. */
export function rowAt(left, top, radius = HIT_RADIUS) {
  if (!drawn) return -1;
  const [x, y] = worldToMap(boxes.goal, toWorld(view, size, left, top));
  return nearest(drawn, x, y, radius / view.scale / boxes.goal.scale);
}

export function setLasso(corners) {
  lasso = corners;
  redrawOverlay();
}

/** A lasso in map coordinates, as both sides test it. */
export function polygonOf(corners) {
  return corners.map(([left, top]) => worldToMap(boxes.goal, toWorld(view, size, left, top)));
}

/** What is in view, in map coordinates: `{map, box: [left, low, right, high]}`. */
export function viewBox() {
  if (!drawn) return undefined;
  const [[left, high], [right, low]] = polygonOf([[0, 0], [size.width, size.height]]);
  const sorted = (one, other) => [Math.min(one, other), Math.max(one, other)];
  const [[west, east], [south, north]] = [sorted(left, right), sorted(low, high)];
  return { map: drawn === now().before ? "before" : "after", box: [west, south, east, north] };
}

export function look(next) {
  glide = null;
  atHome = false;
  view = next;
  redraw();
  moved.at = performance.now();
}

function glideTo(to) {
  if (still.matches) return look(to);
  atHome = false;
  glide = { from: view, to, since: performance.now() };
  redraw();
}

export function fitAll() {
  if (!drawn) return;
  const [right, high] = boxes.goal.half;
  const before = view;
  view = fitView(size, { left: -right, right, low: -high, high }, size.width < NARROW ? SMALL_INSETS : INSETS);
  home = view.scale;
  atHome = true;
  glide = null;
  return before;
}

export function showAll() {
  const from = fitAll();
  if (!from) return;
  const to = view;
  view = from;
  glideTo(to);
  atHome = true;
}

export function zoomBy(factor) {
  glideTo(zoomAt(view, size, size.width / 2, size.height / 2, factor));
}

const clamp = (value, least, most) => Math.max(least, Math.min(most, value));

/** Bring a point into view, moving the map no more than it takes. */
export function showRow(row) {
  if (!drawn || row < 0) return;
  const [left, top] = screenOf(row);
  const right = clamp(left, EDGE, size.width - EDGE) - left;
  const down = clamp(top, EDGE, size.height - 2 * EDGE) - top;
  if (right || down) glideTo(panBy(view, right, down));
}

/** For tests: what is on the screen at a point's place, drawn anew. */
export function pixelOf(row, dx = 0, dy = 0) {
  travel.at = 1;
  stale = true;
  draw(performance.now());
  const [left, top] = screenOf(row);
  return renderer.readPixel(left + dx, top + dy, devicePixelRatio);
}

export const contextIsLost = () => !renderer || renderer.gl.isContextLost();
