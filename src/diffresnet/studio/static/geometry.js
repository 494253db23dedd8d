// Places on the map: three systems. Map: as the server sent them. World: a map moved and scaled into
// [-1, 1]. Screen: CSS pixels of the canvas, by a view {x, y, scale} (world center, pixels a unit).

function bounds(places) {
  let left = Infinity, right = -Infinity, low = Infinity, high = -Infinity;
  for (let at = 0; at < places.length; at += 2) {
    const x = places[at], y = places[at + 1];
    if (x < left) left = x;
    if (x > right) right = x;
    if (y < low) low = y;
    if (y > high) high = y;
  }
  return { left, right, low, high };
}

/**
 * Return `{x, y, scale, half}` that brings a map into [-1, 1], centered: world = (map - x) * scale.
 * `half` [width, height] is how far it then reaches.
 */
export function fitBox(places) {
  const { left, right, low, high } = bounds(places);
  if (!(right >= left)) return { x: 0, y: 0, scale: 1, half: [1, 1] };
  const [width, height] = [right - left, high - low];
  const scale = 2 / (Math.max(width, height) || 1);
  return { x: (left + right) / 2, y: (low + high) / 2, scale, half: [(width * scale) / 2, (height * scale) / 2] };
}

/** The view that shows a world rectangle within insets `{left, right, top, bottom}` of the screen. */
export function fitView(size, box, insets) {
  const room = (side, one, other) => Math.max(side - one - other, side / 3, 1);
  const scale = Math.min(
    room(size.width, insets.left, insets.right) / Math.max(box.right - box.left, 1e-6),
    room(size.height, insets.top, insets.bottom) / Math.max(box.high - box.low, 1e-6),
  );
  return {
    x: (box.left + box.right) / 2 + (insets.right - insets.left) / 2 / scale,
    y: (box.low + box.high) / 2 + (insets.top - insets.bottom) / 2 / scale,
    scale,
  };
}

export function toScreen(view, size, x, y) {
  return [size.width / 2 + (x - view.x) * view.scale, size.height / 2 - (y - view.y) * view.scale];
}

export function toWorld(view, size, left, top) {
  return [view.x + (left - size.width / 2) / view.scale, view.y - (top - size.height / 2) / view.scale];
}

export function worldToMap(box, [x, y]) {
  return [x / box.scale + box.x, y / box.scale + box.y];
}

export function mapToWorld(box, x, y) {
  return [(x - box.x) * box.scale, (y - box.y) * box.scale];
}

export const LEAST_SCALE = 20;
export const MOST_SCALE = 4e6;

/** Zoom by a factor so that the world place under (left, top) stays there. */
export function zoomAt(view, size, left, top, factor) {
  const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, view.scale * factor));
  const [x, y] = toWorld(view, size, left, top);
  return {
    x: x - (left - size.width / 2) / scale,
    y: y + (top - size.height / 2) / scale,
    scale,
  };
}

export function panBy(view, right, down) {
  return { ...view, x: view.x - right / view.scale, y: view.y + down / view.scale };
}

/** Two fingers: the view in which their world places lie under where they are now. */
export function pinch(view, size, from, to) {
  const middle = ([a, b]) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
  const apart = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
  const [x, y] = middle(from);
  const [left, top] = middle(to);
  return panBy(zoomAt(view, size, x, y, apart(to) / apart(from)), left - x, top - y);
}

/** Even-odd rule; corners [x, y, x, y, ..] and the place in the same system. */
function flatHas(corners, x, y) {
  let inside = false;
  let ax = corners[corners.length - 2], ay = corners[corners.length - 1];
  for (let at = 0; at < corners.length; at += 2) {
    const bx = corners[at], by = corners[at + 1];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
    ax = bx;
    ay = by;
  }
  return inside;
}

/** Rows inside of a polygon, by the even-odd rule, in map coordinates. */
export function rowsInside(polygon, places) {
  const corners = Float64Array.from(polygon.flat());
  const { left, right, low, high } = bounds(corners);
  const rows = new Uint32Array(places.length / 2);
  let n = 0;
  for (let row = 0; row < rows.length; row++) {
    const x = places[2 * row], y = places[2 * row + 1];
    if (x < left || x > right || y < low || y > high) continue;
    if (flatHas(corners, x, y)) rows[n++] = row;
  }
  return rows.slice(0, n);
}

/** The row nearest to a map place within a radius, or -1. */
export function nearest(places, x, y, radius) {
  let best = -1, least = radius * radius;
  for (let row = 0; 2 * row < places.length; row++) {
    const dx = places[2 * row] - x, dy = places[2 * row + 1] - y;
    const far = dx * dx + dy * dy;
    if (far <= least) {
      least = far;
      best = row;
    }
  }
  return best;
}

/** The `n` rows nearest to a row, itself first. */
export function nearestRows(places, row, n) {
  const x = places[2 * row], y = places[2 * row + 1];
  const found = [];
  for (let other = 0; 2 * other < places.length; other++) {
    const dx = places[2 * other] - x, dy = places[2 * other + 1] - y;
    const far = dx * dx + dy * dy;
    if (found.length === n && far >= found[n - 1].far) continue;
    let at = found.length;
    while (at > 0 && (found[at - 1].far > far || other === row)) at--;
    found.splice(at, 0, { row: other, far });
    if (found.length > n) found.pop();
  }
  return found.map((one) => one.row);
}

const WAYS = { left: [-1, 0], right: [1, 0], up: [0, 1], down: [0, -1] };

/** The nearest row in a direction, weighing sideways distance double; the row itself if none. */
export function step(places, row, way) {
  const [wx, wy] = WAYS[way];
  const x = places[2 * row], y = places[2 * row + 1];
  let best = row, least = Infinity;
  for (let other = 0; 2 * other < places.length; other++) {
    const dx = places[2 * other] - x, dy = places[2 * other + 1] - y;
    const along = dx * wx + dy * wy;
    const aside = Math.abs(dx * wy) + Math.abs(dy * wx);
    if (along <= 0 || aside > along) continue;
    const far = along + 2 * aside;
    if (far < least) {
      least = far;
      best = other;
    }
  }
  return best;
}

const CELLS = 40;

/** For each class id, the world place where most of its points lie: `{id, x, y, n}`, largest first. */
export function anchors(places, box, predicted, certainty, ids) {
  const slots = new Map(ids.map((id, at) => [id, at]));
  const counts = new Float32Array(ids.length * CELLS * CELLS);
  const totals = new Float64Array(ids.length);
  const cell = (value) => Math.min(CELLS - 1, Math.max(0, Math.floor(((value + 1) / 2) * CELLS)));
  for (let row = 0; row < predicted.length; row++) {
    const slot = slots.get(predicted[row]);
    if (slot === undefined || certainty[row] === 0) continue;
    const x = (places[2 * row] - box.x) * box.scale, y = (places[2 * row + 1] - box.y) * box.scale;
    totals[slot]++;
    counts[(slot * CELLS + cell(y)) * CELLS + cell(x)] += certainty[row];
  }
  const found = [];
  for (const [id, slot] of slots) {
    if (totals[slot] === 0) continue;
    found.push({ id, n: totals[slot], ...densest(counts, slot) });
  }
  return found.sort((a, b) => b.n - a.n);
}

function densest(counts, slot) {
  const value = (x, y) =>
    x < 0 || y < 0 || x >= CELLS || y >= CELLS ? 0 : counts[(slot * CELLS + y) * CELLS + x];
  let best = { x: 0, y: 0 }, most = -1;
  for (let y = 0; y < CELLS; y++) {
    for (let x = 0; x < CELLS; x++) {
      if (value(x, y) === 0) continue;
      let sum = 0;
      for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) sum += value(x + dx, y + dy);
      if (sum > most) {
        most = sum;
        best = { x: ((x + 0.5) / CELLS) * 2 - 1, y: ((y + 0.5) / CELLS) * 2 - 1 };
      }
    }
  }
  return best;
}

const NAME_HALF = 10; // of the height of a name
const STAR_HALF = 8;
const SHIFTS = [0, -22, 22, -40, 40, -58, 58];

/** Names `{left, top, half}` of what is on the screen, whole, off each other, and over as few stars as can be. */
export function placeNames(names, stars, { width, height }) {
  const placed = [];
  for (const name of names) {
    if (name.left < 0 || name.left > width || name.top < 0 || name.top > height) continue;
    const left = Math.max(name.half, Math.min(name.left, width - name.half));
    const isFree = (top) => !placed.some((one) => Math.abs(one.left - left) < one.half + name.half && Math.abs(one.top - top) < 2 * NAME_HALF);
    const covered = (top) => stars.filter(([x, y]) => Math.abs(x - left) < name.half + STAR_HALF && Math.abs(y - top) < NAME_HALF + STAR_HALF).length;
    const free = SHIFTS.map((shift) => Math.max(NAME_HALF, Math.min(name.top + shift, height - NAME_HALF))).filter(isFree);
    if (free.length === 0) continue;
    const fewest = Math.min(...free.map(covered));
    placed.push({ ...name, left, top: free.find((top) => covered(top) === fewest) });
  }
  return placed;
}
