// The state and those who look at it.

import { START, reduce } from "./state.js";

let state = START;
const watchers = [];
const HIDDEN_MS = 100;

export const now = () => state;

/** Change the state by an action, or by `{values}`, and tell everybody, with what was before. */
export function dispatch(action) {
  const before = state;
  state = reduce(state, action);
  tellLater(before); // first: watchers may dispatch, and panels must hear of this change, too
  for (const watcher of watchers) watcher(state, before);
}

export const set = (values) => dispatch({ type: "set", values });

const calm = [];
let since = null; // the state that calm watchers have seen last, while they wait

/** The same, for what need not be there in the next frame of the screen: panels, after the map. */
export function watchLater(names, watcher) {
  calm.push({ names, watcher });
}

/** Whether panels are still to be drawn. */
export const isWaiting = () => since !== null;

function tellLater(before) {
  if (since) return;
  since = before;
  afterPaint(() => {
    const from = since;
    since = null;
    for (const { names, watcher } of calm) {
      if (names.some((name) => state[name] !== from[name])) watcher(state, from);
    }
  });
}

/** Do something once the next frame of the screen is painted. */
export function afterPaint(work) {
  let done = false;
  const once = () => {
    if (!done) work();
    done = true;
  };
  requestAnimationFrame(() => setTimeout(once, 0));
  setTimeout(once, HIDDEN_MS); // a tab that is not shown has no frames
}

/** Call `watcher(state)` when one of the named values changed. */
export function watch(names, watcher) {
  watchers.push((state, before) => {
    if (names.some((name) => state[name] !== before[name])) watcher(state, before);
  });
}
