// Menus and dialogs: focus goes in, stays in, and comes back.

import { byId, el } from "./dom.js";

/** Open a menu below a button; `entries` [{text, note, action, danger}] or null for a line. */
export function openMenu(button, label, entries) {
  const close = () => {
    menu.remove();
    button.setAttribute("aria-expanded", "false");
    removeEventListener("pointerdown", outside, true);
  };
  const outside = (event) => menu.contains(event.target) || close();
  const menu = el("div", { class: "menu", role: "menu", "aria-label": label }, ...entries.map((entry) =>
    entry === null ? el("hr") : el("button", {
      type: "button", role: "menuitem", class: entry.danger ? "danger" : null,
      onclick: () => { close(); button.focus(); entry.action(); },
    }, el("span", { text: entry.text }), entry.note ? el("span", { class: "note", text: entry.note }) : null)));
  menu.addEventListener("keydown", (event) => steer(event, menu, () => { close(); button.focus(); }));
  document.body.append(menu);
  place(menu, button);
  button.setAttribute("aria-expanded", "true");
  addEventListener("pointerdown", outside, true);
  menu.querySelector("button")?.focus();
}

function place(menu, button) {
  const box = button.getBoundingClientRect();
  const left = Math.min(box.left, innerWidth - menu.offsetWidth - 8);
  const below = box.bottom + 4 + menu.offsetHeight <= innerHeight;
  menu.style.left = `${Math.max(8, left)}px`;
  menu.style.top = `${below ? box.bottom + 4 : Math.max(8, box.top - menu.offsetHeight - 4)}px`;
}

function steer(event, menu, close) {
  const buttons = [...menu.querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[event.key];
  if (event.key === "Escape" || event.key === "Tab") close();
  else if (to === undefined) return void event.stopPropagation();
  else buttons[(to + buttons.length) % buttons.length].focus();
  event.preventDefault();
  event.stopPropagation();
}

/** Show a dialog with a title, content and buttons [{text, action, primary, danger}]. */
export function openDialog(title, content, buttons, { wide = false } = {}) {
  const dialog = byId("dialog");
  const form = el("form", { method: "dialog" }, el("h2", { id: "dialog-title", text: title }), ...content,
    el("div", { class: "dialog-buttons" }, ...buttons.map((one) =>
      el("button", { type: one.primary ? "submit" : "button", class: one.danger ? "primary danger" : one.primary ? "primary" : null,
        text: one.text, onclick: one.primary ? null : () => dialog.close() }))));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const value = buttons.find((one) => one.primary)?.action?.();
    if (value !== false) dialog.close();
  });
  dialog.classList.toggle("wide", wide);
  dialog.replaceChildren(form);
  dialog.showModal();
  return dialog;
}

/** Ask for a name; `onname(name)` with what was typed, trimmed. */
export function askName(title, value, verb, onname) {
  const input = el("input", { type: "text", maxlength: "200", required: true, "aria-labelledby": "dialog-title", autocomplete: "off", spellcheck: "false" });
  input.value = value;
  openDialog(title, [input], [{ text: "Cancel" }, {
    text: verb, primary: true,
    action: () => (input.value.trim() ? void onname(input.value.trim()) : false),
  }]);
  input.select();
}

export function askYes(title, sentence, verb, onyes) {
  openDialog(title, [el("p", { text: sentence })], [{ text: "Cancel" }, { text: verb, primary: true, danger: true, action: onyes }]);
}
