// Texts, ids and second classes of points, fetched when they are first shown, many at a time.

import { get } from "./api.js";
import { complain } from "./actions.js";
import { now, set } from "./store.js";

const MOST = 200;
const KEPT = 5000;
const items = new Map();
let waiting = new Set();
let asking = 0;

/** Whether items are still to come: for tests. */
export const isFetching = () => asking + waiting.size > 0;

/** What the server told of a row, or null; it is asked for, and `state.items` changes when it is there. */
export function itemOf(row) {
  const item = items.get(row);
  if (!item || item.stamp !== stamp()) want(row);
  return item ?? null;
}

/** What items depend on. */
const stamp = () => `${now().version} ${now().learned}`;

function want(row) {
  if (waiting.size === 0) setTimeout(fetchWaiting, 25);
  waiting.add(row);
}

async function fetchWaiting() {
  const rows = Array.from(waiting);
  waiting = new Set();
  const of = stamp();
  asking += 1;
  try {
    for (let at = 0; at < rows.length; at += MOST) {
      const part = rows.slice(at, at + MOST);
      for (const row of part) items.set(row, { id: "", text: null, image: false, ...items.get(row), stamp: of });
      for (const item of await get(`/api/items?rows=${part.join(",")}`)) items.set(item.row, { ...item, stamp: of });
    }
    for (const row of items.keys()) {
      if (items.size <= KEPT) break;
      items.delete(row);
    }
    set({ items: {} });
  } catch (error) {
    complain(error);
  } finally {
    asking -= 1;
  }
}
