// What lies over the points: names of classes, the lasso, rings around points, lines that explain.

import { adapt } from "./palette.js";
import { placeNames } from "./geometry.js";
import { shortened } from "./words.js";

const LOOKS = {
  light: { ink: "#14171b", halo: "rgba(251,251,252,.92)", accent: "#0b63b5", wash: "rgba(11,99,181,.10)" },
  dark: { ink: "#f2f4f6", halo: "rgba(15,18,22,.9)", accent: "#6cb6ff", wash: "rgba(108,182,255,.14)" },
};
const MOST_NAMES = 40;
const WIDEST_NAME = 240; // pixels
const MOST_STARS = 500; // that names keep away from

export function drawOverlay(context, size, state, extra) {
  const look = LOOKS[state.theme];
  context.clearRect(0, 0, size.width, size.height);
  if (state.explained) drawPaths(context, state, extra, look);
  drawNames(context, size, state, extra, look);
  if (state.hover >= 0) drawRing(context, extra, state.hover, look.ink, 1.5);
  if (state.cursor >= 0) drawRing(context, extra, state.cursor, look.accent, 2.5);
  if (extra.lasso?.length > 1) drawLasso(context, extra.lasso, look);
}

function drawRing(context, { screenOf, radius }, row, color, width) {
  const [left, top] = screenOf(row);
  context.beginPath();
  context.arc(left, top, Math.max(9, radius + 5), 0, 2 * Math.PI);
  context.lineWidth = width;
  context.strokeStyle = color;
  context.stroke();
}

function drawLasso(context, corners, look) {
  context.beginPath();
  corners.forEach(([left, top]) => context.lineTo(left, top));
  context.fillStyle = look.wash;
  context.fill("evenodd");
  context.closePath();
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  context.strokeStyle = look.accent;
  context.stroke();
  context.setLineDash([]);
}

function drawNames(context, size, state, extra, look) {
  context.font = "600 13px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  const named = extra.names.slice(0, MOST_NAMES).map(({ id, x, y }) => {
    const one = state.project.classes.find((other) => other.id === id);
    const text = fitted(context, shortened(one?.name ?? "", 28), Math.min(WIDEST_NAME, size.width / 2));
    const [left, top] = extra.screenOfWorld(x, y);
    return { text, left, top, half: context.measureText(text).width / 2 + 4 };
  });
  const marked = [...Array.from(state.given.keys()).slice(0, MOST_STARS), ...(state.cursor >= 0 ? [state.cursor] : [])];
  const stars = marked.map(extra.screenOf);
  for (const { text, left, top } of placeNames(named, stars, size)) {
    context.lineWidth = 5;
    context.strokeStyle = look.halo;
    context.strokeText(text, left, top);
    context.fillStyle = look.ink;
    context.fillText(text, left, top);
  }
}

/** A text cut to a width. */
function fitted(context, text, most) {
  let cut = text;
  for (let n = text.length; context.measureText(cut).width > most && n > 1; n--) cut = shortened(text, n - 1);
  return cut;
}

function drawPaths(context, state, { screenOf, radius, time, still }, look) {
  context.lineCap = "round";
  context.lineJoin = "round";
  for (const source of state.explained.sources) {
    const one = state.project.classes.find((other) => other.id === source.class);
    const places = source.path.map(screenOf);
    const line = () => {
      context.beginPath();
      places.forEach(([left, top]) => context.lineTo(left, top));
    };
    line();
    context.lineWidth = 4 + 5 * source.share;
    context.strokeStyle = look.halo;
    context.stroke();
    line();
    context.lineWidth = 1.5 + 4 * source.share;
    context.strokeStyle = one ? adapt(one.color, state.theme) : look.ink;
    context.setLineDash([9, 5]);
    context.lineDashOffset = still ? 0 : -time / 28;
    context.stroke();
    context.setLineDash([]);
    for (const [left, top] of places.slice(1)) {
      context.beginPath();
      context.arc(left, top, Math.max(3, radius * 0.6), 0, 2 * Math.PI);
      context.fillStyle = look.ink;
      context.fill();
    }
  }
  drawRing(context, { screenOf, radius }, state.explained.row, look.ink, 2);
}
