// Elements from code. Text is text: nothing here parses markup.

/** Make an element; `props` are attributes, `on..` listeners, or `text`; children follow. */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export const byId = (id) => document.getElementById(id);

/** Let keys go to the map. */
export const toMap = () => byId("map").focus({ preventScroll: true });

/** Replace children, keeping the focus on the element with the same `data-key`. */
export function fill(parent, ...children) {
  const held = parent.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const top = parent.scrollTop;
  parent.replaceChildren(...children.filter(Boolean));
  parent.scrollTop = top;
  if (held) parent.querySelector(`[data-key="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
}

const PATHS = {
  undo: "M9 7L5 11l4 4M5 11h9a5 5 0 0 1 0 10h-3",
  redo: "M15 7l4 4-4 4M19 11h-9a5 5 0 0 0 0 10h3",
  lasso: "M12 5c5 0 8 2.3 8 5s-3 5-8 5-8-2.3-8-5 3-5 8-5zM7 14.5c-1 1-1 3 .5 3.5s2.5 1.5 1 3",
  move: "M12 3v18M3 12h18M12 3l-2.5 2.5M12 3l2.5 2.5M12 21l-2.5-2.5M12 21l2.5-2.5M3 12l2.5-2.5M3 12l2.5 2.5M21 12l-2.5-2.5M21 12l-2.5 2.5",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  play: "M8 5l11 7-11 7z",
  stop: "M7 7h10v10H7z",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  search: "M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12zM15.5 15.5L20 20",
  moon: "M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5z",
  export: "M12 4v11M8 11l4 4 4-4M5 19h14",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12.5l4.5 4.5L19 7.5",
  star: "M12 3.5l2.6 5.6 6.1.7-4.5 4.2 1.2 6L12 17l-5.4 3 1.2-6-4.5-4.2 6.1-.7z",
};

export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: PATHS[name] }));
}

/** A button with an icon, its name as label and tooltip. */
export function iconButton(name, label, onclick, props = {}) {
  return el("button", { type: "button", class: "icon-button", "aria-label": label, title: label, onclick, ...props }, icon(name));
}

export function keyCap(key) {
  return el("kbd", { text: key, "aria-hidden": "true" });
}
