// Mouse, pen and fingers on the map: pan, zoom, pinch, hover, click, lasso.

import { panBy, pinch, zoomAt } from "./geometry.js";
import { byId } from "./dom.js";
import { look, polygonOf, rowAt, setLasso, sizeNow, viewNow } from "./map.js";
import { now, set } from "./store.js";

const CLICK = 5; // pixels that a hand may shake
const fingers = new Map();
let held = null; // {way: "pan" | "lasso", from, last, corners, moved}

const modeOf = (event) => (event.shiftKey ? "add" : event.altKey ? "remove" : "replace");

/** Listen; `onPick(row, mode)`, `onLasso(polygon, mode)` are called when a gesture ends. */
export function startPointer(onPick, onLasso) {
  const stage = byId("overlay");
  stage.addEventListener("pointerdown", (event) => down(stage, event));
  stage.addEventListener("pointermove", (event) => move(stage, event));
  stage.addEventListener("pointerup", (event) => up(stage, event, onPick, onLasso));
  stage.addEventListener("pointercancel", cancel);
  stage.addEventListener("pointerleave", () => set({ hover: -1 }));
  stage.addEventListener("wheel", (event) => wheel(stage, event), { passive: false });
  stage.addEventListener("contextmenu", (event) => event.preventDefault());
}

function placeOf(stage, event) {
  const box = stage.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function down(stage, event) {
  if (!now().xy) return;
  byId("map").focus({ preventScroll: true });
  stage.setPointerCapture(event.pointerId);
  const place = placeOf(stage, event);
  fingers.set(event.pointerId, place);
  if (fingers.size === 2) {
    setLasso(null);
    held = { way: "pinch" };
    return;
  }
  const pans = now().tool === "pan" || event.button === 1 || event.button === 2;
  held = { way: pans ? "pan" : "lasso", last: place, from: place, corners: [place], moved: false };
  set({ hover: -1 });
}

function move(stage, event) {
  const place = placeOf(stage, event);
  if (!held) {
    if (event.pointerType !== "touch") hover(place);
    return;
  }
  if (held.way === "pinch") return spread(event, place);
  fingers.set(event.pointerId, place);
  if (Math.hypot(place[0] - held.from[0], place[1] - held.from[1]) > CLICK) held.moved = true;
  if (!held.moved) return;
  if (held.way === "pan") look(panBy(viewNow(), place[0] - held.last[0], place[1] - held.last[1]));
  else {
    held.corners.push(place);
    setLasso(held.corners);
  }
  held.last = place;
}

function spread(event, place) {
  const from = [...fingers.values()].map((one) => [...one]);
  fingers.set(event.pointerId, place);
  const to = [...fingers.values()];
  if (from.length === 2) look(pinch(viewNow(), sizeNow(), from, to));
}

function up(stage, event, onPick, onLasso) {
  fingers.delete(event.pointerId);
  if (!held) return;
  const done = held;
  if (done.way === "pinch") {
    if (fingers.size === 0) held = null;
    return;
  }
  held = null;
  setLasso(null);
  if (!done.moved) onPick(rowAt(...done.from, event.pointerType === "touch" ? 24 : undefined), modeOf(event));
  else if (done.way === "lasso" && done.corners.length > 2) onLasso(polygonOf(done.corners), modeOf(event));
}

function cancel(event) {
  fingers.delete(event.pointerId);
  held = null;
  setLasso(null);
}

let next = null;
function hover(place) {
  if (!next) {
    requestAnimationFrame(() => {
      const row = rowAt(...next);
      next = null;
      if (row !== now().hover) set({ hover: row });
    });
  }
  next = place;
}

function wheel(stage, event) {
  event.preventDefault();
  if (!now().xy) return;
  const unit = event.deltaMode === 1 ? 18 : 1;
  const factor = Math.exp(-event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0016));
  look(zoomAt(viewNow(), sizeNow(), ...placeOf(stage, event), factor));
}
