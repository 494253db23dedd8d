// Small parts that several panels share.

import { el, keyCap, svg } from "./dom.js";
import { OUTLINES, adapt } from "./palette.js";
import { itemOf } from "./items.js";
import { over, percent, sentence, shortened } from "./words.js";
import { pointOf, classById } from "./state.js";
import { probabilityOf } from "./frame.js";

/** The mark of a class: its color and shape; hollow for null. */
export function mark(state, one) {
  const path = svg("path", { d: OUTLINES[one ? one.shape & 7 : 0] });
  if (one) path.setAttribute("fill", adapt(one.color, state.theme));
  else path.classList.add("hollow");
  return svg("svg", { class: "mark", viewBox: "-6 -6 12 12", "aria-hidden": "true" }, path);
}

export function tag(state, one, fallback = "no label reaches it") {
  return el("span", { class: "tag" }, mark(state, one), el("span", { text: one ? one.name : fallback }));
}

const KEPT = 800;
const pictures = new Map();

/** The picture of a row in a place; the same element every time, so that it does not flicker. */
function picture(row, place, alt) {
  const key = `${place} ${row}`;
  const image = pictures.get(key) ?? el("img", {
    class: place === "large" ? "picture large" : "picture", src: `/api/preview/${row}`, draggable: "false",
  });
  image.alt = alt;
  pictures.delete(key);
  pictures.set(key, image);
  if (pictures.size > KEPT) pictures.delete(pictures.keys().next().value);
  return image;
}

/** Thumbnail or text of a row; `place` is where it is shown, "large" for one alone. */
export function preview(state, row, place) {
  const large = place === "large";
  const item = itemOf(row);
  if (state.project.has_images && (!item || item.image)) return picture(row, place, item ? item.id : `point ${row}`);
  const text = item ? item.text ?? item.id : "…";
  return el("p", { class: large ? "words large" : "words", text: large ? text : shortened(text, 140) });
}

/** The id below a preview, unless it is the preview. */
export function idLine(state, row, tag = "p", most = Infinity) {
  const item = itemOf(row);
  const isShown = item && item.text === null && !(state.project.has_images && item.image);
  return isShown ? null : el(tag, { class: "id", text: shortened(item?.id ?? "", most) });
}

/** With one class only, the server says how like its points one is: no probability. */
export function sureness(state, share) {
  return state.project.classes.length === 1 ? `${percent(share)} alike` : percent(share);
}

/** What is given or predicted for a row, as one line. */
export function verdict(state, row) {
  const point = pointOf(state, row);
  if (point.isNone) return el("span", { class: "tag", text: "None of these" });
  const one = classById(state, point.given ?? point.predicted);
  if (point.given !== null) return el("span", { class: "tag given" }, mark(state, one), el("span", { text: one?.name ?? "?" }), el("span", { class: "note", text: "labeled" }));
  const share = probabilityOf(point.certainty);
  if (share === null) return tag(state, null);
  return el("span", { class: "tag" }, mark(state, one), el("span", { text: one?.name ?? "none of these" }), el("span", { class: "note", text: sureness(state, share) }));
}

/** A row of buttons of which one is on: `options` [[value, text, title]]. */
export function segmented(label, options, value, onpick) {
  const buttons = options.map(([each, text, title]) =>
    el("button", {
      type: "button", role: "radio", "aria-checked": String(each === value), "data-key": `${label}-${each}`,
      title, tabindex: each === value ? "0" : "-1", onclick: () => onpick(each), text,
    }));
  const group = el("div", { class: "segmented", role: "radiogroup", "aria-label": label }, ...buttons);
  group.addEventListener("keydown", (event) => {
    const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    const at = options.findIndex(([each]) => each === value);
    onpick(options[(at + way + options.length) % options.length][0]);
  });
  return group;
}

/** A button that gives a class, with its mark and key. */
export function classButton(state, one, onclick, note = "") {
  return el("button", { type: "button", class: "class-button", "data-key": `class-${one.id}`, onclick, title: one.name },
    mark(state, one), el("span", { class: "name", text: one.name }),
    note ? el("span", { class: "note", text: note }) : null, one.key ? keyCap(one.key) : null);
}

/** From which labels a prediction came. */
export function explanation(state, row) {
  const { explained } = state;
  if (explained?.row !== row) return null;
  const sources = explained.sources.map((source) =>
    el("li", {}, preview(state, source.row, "source"), el("div", { class: "source" },
      tag(state, classById(state, source.class), "none of these"),
      el("span", { class: "note", text: `${percent(source.share)} of it, ${over(source.path.length - 2)}` }))));
  return el("div", { class: "explanation" }, el("p", { text: sentence(explained.sentence) }), el("ul", {}, ...sources));
}
