// The keyboard: plain digits and letters belong to classes; commands are signs, or letters with Shift,
// so that the two never collide.

/** Keys that classes may have. */
export const KEYS = [..."123456789abcdefghijklmnopqrstuvwxyz"];

export const COMMANDS = [
  ["Answer", "Enter", "accept", "Accept the proposed label"],
  ["Answer", "1 … 9, a … z", null, "Give the class with that key"],
  ["Answer", "0", "none", "None of these classes"],
  ["Answer", ".", "skip", "Skip: I cannot tell"],
  ["Answer", "Backspace", "unlabel", "Take the label away"],
  ["Answer", "Shift+N", "newClass", "Name a class, new or not, for the points in question"],
  ["Answer", "Ctrl+Z", "undo", "Undo"],
  ["Answer", "Ctrl+Shift+Z, Ctrl+Y", "redo", "Redo"],
  ["Select", "Click", null, "Select a point; with Shift add it, with Alt take it away"],
  ["Select", "Click on a class", null, "Select its points: in the list of classes"],
  ["Select", "Drag with the lasso", null, "Select an area; with Shift add it, with Alt take it away"],
  ["Select", "← → ↑ ↓", null, "On the map: go to the nearest point that way; with Shift add it"],
  ["Select", "Space", "toggle", "Select the point under the cursor, or take it away"],
  ["Select", "Shift+G", "grow", "Grow the selection by the ten points nearest to the cursor"],
  ["Select", "Escape", "escape", "Close, stop, or clear the selection"],
  ["Select", ",", "which", "Label all of the selection, those that agree, or the ten that say most"],
  ["Look", "Shift+L", "lasso", "Lasso"],
  ["Look", "Shift+M", "pan", "Move the map by dragging"],
  ["Look", "+  −", null, "Zoom"],
  ["Look", "Shift+F", "fit", "Show everything"],
  ["Look", "Shift+K", "color", "Color by class, certainty, or reached"],
  ["Look", "Shift+B", "before", "Before or after diffusion"],
  ["Look", "Shift+P", "play", "Play: labels flow step by step"],
  ["Look", "[  ]", null, "Weaker or stronger diffusion"],
  ["Look", "Shift+E", "explain", "Explain: where did this label come from?"],
  ["Go to", "Shift+A", "ask", "Ask: what to label next"],
  ["Go to", "Shift+S", "selection", "Selection"],
  ["Go to", "Shift+C", "check", "Check: labels that disagree"],
  ["Go to", "/", "search", "Search"],
  ["Go to", "Shift+X", "export", "Export and import"],
  ["Go to", "Shift+D", "theme", "Light or dark"],
  ["Go to", "?", "help", "This list"],
];

const SIGNS = {
  Enter: "accept", "0": "none", ".": "skip", Backspace: "unlabel", Delete: "unlabel",
  Escape: "escape", "+": "zoomIn", "=": "zoomIn", "-": "zoomOut", "[": "weaker", "]": "stronger",
  "/": "search", "?": "help", " ": "toggle", ",": "which",
};
const SHIFTED = Object.fromEntries(
  COMMANDS.filter(([, key, name]) => name && /^Shift\+[A-Z]$/.test(key))
    .map(([, key, name]) => [key.slice(-1), name]),
);
const ARROWS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

/** Where a key is pressed, for `meaning`. */
export function whereIs(element) {
  if (element.matches(".picker-input") && !element.value) return "name";
  if (element.matches("input:not([type=range]), select, textarea")) return "text";
  if (element.matches("button, a, summary")) return "button";
  return element.matches("input, [role=tab]") ? "list" : "map";
}

/** In an empty field for a class, digits are keys, unless classes are called by digits themselves. */
function isTyped(key, ctrl, classes) {
  if (ctrl || key === "Escape") return false;
  return !/^[0-9]$/.test(key) || classes.length === 0 || classes.some((one) => /^[0-9]/.test(one.name));
}

/**
 * What a key means: `{command}`, `{class}`, `{arrow, extend}`, or null.
 * `where`: "map", "list" (arrows are the list's), "button" (Enter and Space are its own), "text",
 * "name" (an empty field for a class: its digits and undo are the map's).
 */
export function meaning({ key, ctrl, shift, alt }, where, classes) {
  if (where === "text") return key === "Escape" ? { command: "escape" } : null;
  if (where === "name" && isTyped(key, ctrl, classes)) return null;
  if (ctrl) {
    const letter = key.toLowerCase();
    if (letter === "z") return { command: shift ? "redo" : "undo" };
    return letter === "y" ? { command: "redo" } : null;
  }
  if (alt) return null;
  if (ARROWS[key]) return where === "map" ? { arrow: ARROWS[key], extend: shift } : null;
  if (where === "button" && (key === "Enter" || key === " ")) return null;
  if (SIGNS[key]) return { command: SIGNS[key] };
  if (shift && SHIFTED[key.toUpperCase()]) return { command: SHIFTED[key.toUpperCase()] };
  const one = shift ? undefined : classes.find((other) => other.key === key);
  return one ? { class: one.id } : null;
}
