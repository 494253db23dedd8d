// The card beside the point under the mouse, or under the keyboard's cursor.

import { byId, el, fill } from "./dom.js";
import { classById, pointOf } from "./state.js";
import { percent, shortened } from "./words.js";
import { idLine, preview, verdict } from "./parts.js";
import { itemOf } from "./items.js";
import { screenOf, sizeNow } from "./map.js";
import { watch } from "./store.js";

const GAP = 16;

export function startCard() {
  watch(["hover", "items", "predicted", "trial", "project"], draw);
}

function draw(state) {
  const card = byId("card");
  card.hidden = state.hover < 0 || !state.predicted;
  if (card.hidden) return;
  const item = itemOf(state.hover);
  const point = pointOf(state, state.hover);
  const second = classById(state, item?.second);
  fill(card, preview(state, state.hover, "card"),
    el("div", { class: "card-words" }, verdict(state, state.hover),
      second && point.given === null ? el("span", { class: "note", text: `or ${shortened(second.name, 40)}, ${percent(item.second_probability)}` }) : null,
      idLine(state, state.hover, "span", 60)));
  place(card, state.hover);
}

function place(card, row) {
  const [left, top] = screenOf(row);
  const { width, height } = sizeNow();
  const right = left + GAP + card.offsetWidth < width;
  card.style.left = `${Math.max(4, right ? left + GAP : left - GAP - card.offsetWidth)}px`;
  card.style.top = `${Math.min(Math.max(4, top - card.offsetHeight / 2), Math.max(4, height - card.offsetHeight - 4))}px`;
}
