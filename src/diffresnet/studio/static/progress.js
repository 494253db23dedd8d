// How far one is: expected accuracy with its interval and curve, what is reached, what is lacking.

import { byId, el, fill, icon, svg } from "./dom.js";
import { classById } from "./state.js";
import { count, number, percent, sentence } from "./words.js";
import { tag } from "./parts.js";
import { watchLater } from "./store.js";

const WIDTH = 240;
const HEIGHT = 64;

export function startProgress() {
  watchLater(["project", "theme"], (state) => state.project?.progress && draw(state, state.project.progress));
}

/** Paths of a curve `[{n_labels, accuracy, low, high}]` in a box: `{line, band, least}`. */
export function curvePaths(curve, width, height) {
  const least = Math.max(0, Math.floor(10 * Math.min(...curve.map((one) => one.low))) / 10);
  const first = curve[0].n_labels;
  const span = Math.max(1, curve.at(-1).n_labels - first);
  const x = (one) => (((one.n_labels - first) / span) * width).toFixed(1);
  const y = (value) => (height - ((value - least) / Math.max(1e-9, 1 - least)) * height).toFixed(1);
  const line = curve.map((one, at) => `${at ? "L" : "M"}${x(one)} ${y(one.accuracy)}`).join("");
  const above = curve.map((one, at) => `${at ? "L" : "M"}${x(one)} ${y(one.high)}`).join("");
  const below = [...curve].reverse().map((one) => `L${x(one)} ${y(one.low)}`).join("");
  return { line, band: `${above}${below}Z`, least };
}

function chart(curve) {
  const { line, band, least } = curvePaths(curve, WIDTH, HEIGHT);
  const about = `Expected accuracy from ${percent(curve[0].accuracy)} at ${count(curve[0].n_labels, "label")} to ${percent(curve.at(-1).accuracy)} at ${count(curve.at(-1).n_labels, "label")}`;
  return el("figure", { class: "curve" },
    svg("svg", { viewBox: `0 -3 ${WIDTH} ${HEIGHT + 6}`, role: "img", "aria-label": about, preserveAspectRatio: "none" },
      svg("path", { class: "grid", d: `M0 0H${WIDTH}M0 ${HEIGHT}H${WIDTH}` }),
      svg("path", { class: "band", d: band }), svg("path", { class: "line", d: line, "vector-effect": "non-scaling-stroke" })),
    el("figcaption", {}, el("span", { text: `${percent(least)} – 100%` }), el("span", { text: `${number(curve[0].n_labels)} to ${count(curve.at(-1).n_labels, "label")}` })));
}

function meter(label, value, most) {
  const inner = el("span");
  inner.style.width = `${most ? (100 * value) / most : 0}%`;
  return el("div", { class: "meter-row" }, el("div", { class: "meter-words" }, el("span", { text: label }), el("span", { class: "note", text: `${number(value)} of ${number(most)}` })),
    el("div", { class: "meter", role: "meter", "aria-label": label, "aria-valuenow": String(value), "aria-valuemin": "0", "aria-valuemax": String(most) }, inner));
}

function draw(state, progress) {
  const { expected, curve } = progress;
  fill(byId("progress-body"),
    el("div", { class: "expected", title: expected ? "Of the points without a label, as held-out labels say, with a 95% interval" : null },
      expected ? el("span", { class: "big", text: percent(expected.accuracy) }) : null,
      el("span", { class: "about" }, el("span", { text: "expected accuracy" }),
        el("span", { class: "note", text: expected ? `${Math.round(100 * expected.low)} to ${percent(expected.high)} (95%)` : progress.needs }))),
    curve.length > 1 ? chart(curve) : null,
    progress.enough ? el("p", { class: "enough" }, icon("check"), el("span", { text: "More labels no longer help much." })) : null,
    meter("Points reached", progress.n_reached, progress.n_points),
    el("dl", { class: "counts" }, ...counts(progress)),
    ...progress.sentences.map((text) => el("p", { class: "sentence", text: sentence(text) })),
    lacking(state, progress.lacking));
}

function counts(progress) {
  const pair = (name, value) => el("div", {}, el("dt", { text: name }), el("dd", { text: number(value) }));
  return [pair("labels", progress.n_labels), pair("none of these", progress.n_none), pair("skipped", progress.n_skipped)];
}

function lacking(state, ids) {
  const classes = ids.map((id) => classById(state, id)).filter(Boolean);
  if (classes.length === 0) return null;
  return el("div", { class: "lacking-list" }, el("p", { class: "label", text: "Another label each would help most" }),
    ...classes.slice(0, 8).map((one) => tag(state, one)),
    classes.length > 8 ? el("span", { class: "note", text: `and ${number(classes.length - 8)} more` }) : null);
}
