// The state and those who look at it.

import { START, reduce } from "./state.js";

let state = START;
const watchers = [];

export const now = () => state;

/** Change the state by an action, or by `{values}`, and tell everybody, with what was before. */
export function dispatch(action) {
  const before = state;
  state = reduce(state, action);
  for (const watcher of watchers) watcher(state, before);
}

export const set = (values) => dispatch({ type: "set", values });

/** Call `watcher(state)` when one of the named values changed. */
export function watch(names, watcher) {
  watchers.push((state, before) => {
    if (names.some((name) => state[name] !== before[name])) watcher(state, before);
  });
}
