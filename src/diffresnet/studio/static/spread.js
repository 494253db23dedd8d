// Strength of diffusion: a slider, and play, in which labels flow step by step.

import { COLORINGS, placeOf, strengthAt } from "./state.js";
import { byId, el, fill, icon } from "./dom.js";
import { now, set, watch, watchLater } from "./store.js";
import { motionIsReduced } from "./map.js";
import { segmented } from "./parts.js";
import { dropTrial, tryStrength } from "./actions.js";

const STEPS = 40;
const STEP_MS = 110;

export function startSpread() {
  const slider = byId("strength");
  slider.addEventListener("input", () => {
    stop();
    tryStrength(strengthAt(slider.valueAsNumber / 1000, now().project.strength));
  });
  byId("play").addEventListener("click", togglePlay);
  byId("strength-reset").addEventListener("click", dropTrial);
  watchLater(["project", "trial", "playing"], drawStrength);
  watchLater(["coloring", "map", "project", "before"], drawLook);
  watch(["coloring", "phase"], drawLegend);
}

function drawStrength(state) {
  const strength = state.project?.strength;
  byId("spread").hidden = !strength;
  if (!strength) return;
  const value = state.trial?.value ?? strength.value;
  const slider = byId("strength");
  const place = Math.round(1000 * placeOf(value, strength));
  if (document.activeElement !== slider || state.playing || !state.trial) slider.value = String(place);
  slider.style.setProperty("--at", `${place / 10}%`);
  const text = value >= 100 ? value.toFixed(0) : value.toPrecision(2);
  slider.setAttribute("aria-valuetext", `strength ${text}${state.trial ? ", shown only" : ""}`);
  byId("strength-value").textContent = Number(text).toLocaleString("en-US");
  byId("strength-reset").hidden = !state.trial;
  const play = byId("play");
  play.replaceChildren(icon(state.playing ? "stop" : "play"));
  play.setAttribute("aria-label", state.playing ? "Stop" : "Play: labels flow step by step");
  play.disabled = !state.project.progress?.n_labels;
}

function drawLook(state) {
  if (!state.project) return;
  const words = { class: "Class", certainty: "Certainty", reached: "Reached" };
  fill(byId("coloring"), segmented("Color by", COLORINGS.map((each) => [each, words[each]]), state.coloring, (coloring) => set({ coloring })));
  byId("maps").hidden = !state.before;
  fill(byId("maps"), segmented("Map", [["before", "Before", "Places before diffusion"], ["after", "After", "Places after diffusion"]], state.map, (map) => set({ map })));
}

/** What the colors mean, where they are not those of the classes. */
function drawLegend({ coloring, phase }) {
  byId("legend").hidden = coloring === "class" || phase !== "ready";
  const words = { certainty: ["unsure", "sure"], reached: ["no label reaches it", "reached"] }[coloring] ?? ["", ""];
  fill(byId("legend"), el("span", { text: words[0] }), el("span", { class: `ramp ${coloring}`, "aria-hidden": "true" }), el("span", { text: words[1] }));
}

export function nudge(way) {
  const { project, trial } = now();
  if (!project?.strength) return;
  const place = placeOf(trial?.value ?? project.strength.value, project.strength);
  tryStrength(strengthAt(Math.min(1, Math.max(0, place + way * 0.05)), project.strength));
}

function stop() {
  if (now().playing) set({ playing: false });
}

/** Show strengths from the least to the model's own, one after the other. */
export async function togglePlay() {
  if (now().playing) return stop();
  const strength = now().project?.strength;
  if (!strength || !now().project.progress.n_labels) return;
  set({ playing: true, said: "Labels flow from the labeled points over the graph." });
  const steps = motionIsReduced() ? 5 : STEPS;
  const end = placeOf(strength.value, strength) || 1;
  for (let step = 0; step <= steps && now().playing; step++) {
    const pause = new Promise((resolve) => setTimeout(resolve, motionIsReduced() ? 900 : STEP_MS));
    await tryStrength(strengthAt((end * step) / steps, strength));
    await pause;
  }
  if (now().playing) dropTrial();
}
