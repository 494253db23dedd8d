// Answers: buttons for the likeliest classes, and a field that finds a class or makes a new one.

import { el, fill, toMap } from "./dom.js";
import { classButton, tag } from "./parts.js";
import { accept, labelAs, labelAsNew } from "./actions.js";
import { classChoices } from "./state.js";
import { now } from "./store.js";

const MOST_BUTTONS = 12;

/** The classes to offer as buttons: all while they are few, else those in `first`, then the most used. */
export function offered(classes, first) {
  if (classes.length <= MOST_BUTTONS) return classes;
  const rank = (one) => (first.includes(one.id) ? first.indexOf(one.id) - first.length : 0);
  return [...classes].sort((a, b) => rank(a) - rank(b) || b.n_labels - a.n_labels).slice(0, MOST_BUTTONS);
}

export function answerButtons(state, first, notes = new Map()) {
  return offered(state.project.classes, first)
    .map((one) => classButton(state, one, () => labelAs(one.id), notes.get(one.id) ?? ""));
}

/** The field: Enter gives the first choice. */
export function makePicker(id) {
  const list = el("div", { class: "matches", id: `${id}-list`, role: "listbox", "aria-label": "Classes", hidden: true });
  const input = el("input", {
    type: "text", class: "picker-input", id, placeholder: "Class, or a new name", "aria-label": "Class, or a new name", maxlength: "200",
    autocomplete: "off", spellcheck: "false", role: "combobox", "aria-expanded": "false", "aria-controls": `${id}-list`,
  });
  let options = [];
  let at = 0;
  const close = () => { list.hidden = true; input.setAttribute("aria-expanded", "false"); };
  const give = (option) => {
    input.value = "";
    close();
    toMap();
    option.id === null ? labelAsNew(option.name) : labelAs(option.id);
  };
  const draw = () => {
    const typed = input.value.trim();
    options = classChoices(now().project.classes, typed);
    at = Math.min(at, Math.max(0, options.length - 1));
    list.hidden = options.length === 0;
    input.setAttribute("aria-expanded", String(options.length > 0));
    fill(list, ...options.map((option, place) => el("div", {
      role: "option", id: `${id}-${place}`, "aria-selected": String(place === at), onpointerdown: (event) => { event.preventDefault(); give(option); },
    }, option.id === null ? el("span", { text: `New class “${option.name}”` }) : tag(now(), option))));
    if (options.length) input.setAttribute("aria-activedescendant", `${id}-${at}`);
    else input.removeAttribute("aria-activedescendant");
  };
  input.addEventListener("input", () => { at = 0; draw(); });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (way && options.length) {
      at = (at + way + options.length) % options.length;
      draw();
    } else if (event.key === "Enter") input.value.trim() ? give(options[at]) : accept();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return el("div", { class: "picker" }, input, list);
}
