// Requests to the server: one origin, a cookie, JSON or binary frames.

import { decodeFrame, splitEvents } from "./frame.js";

/** Of this tab; `crypto.randomUUID` is there on https and this machine only. */
export const TAB = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

async function ask(path, options = {}) {
  const answer = await fetch(path, { credentials: "same-origin", ...options });
  if (answer.ok) return answer;
  const body = await answer.json().catch(() => null);
  throw new Refused(answer.status, body?.error ?? `The server answered with an error (${answer.status}).`);
}

function post(path, body) {
  return ask(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
}

export const get = async (path) => (await ask(path)).json();
export const getFrame = async (path) => decodeFrame(await (await ask(path)).arrayBuffer());
export const postJson = async (path, body) => (await post(path, body)).json();
export const postFrame = async (path, body) =>
  decodeFrame(await (await post(path, body)).arrayBuffer());

/** Exchange the token in the address for a cookie, and take it out of the address. */
export async function openSession() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", location.pathname + location.search);
  await post("/api/session", { token });
}

/** Save an export as a download. */
export async function download(name) {
  const blob = await (await post("/api/export", { name })).blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** Wait until the tab is shown. */
const shown = () => new Promise((resolve) => {
  if (!document.hidden) return resolve();
  const look = () => {
    if (document.hidden) return;
    document.removeEventListener("visibilitychange", look);
    resolve();
  };
  document.addEventListener("visibilitychange", look);
});

/**
 * Read the server's events for ever; `onOnline(true or false)` when the connection comes and goes.
 * A tab that is hidden does not listen: a browser has six connections to a server for all tabs.
 */
export async function listen(onEvent, onOnline) {
  let hiding = new AbortController();
  document.addEventListener("visibilitychange", () => document.hidden && hiding.abort());
  for (let wait = 500; ; wait = Math.min(2 * wait, 5000)) {
    await shown();
    hiding = new AbortController();
    try {
      const answer = await ask("/api/events", { signal: hiding.signal });
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      wait = 500;
      onOnline(true);
      for (let rest = ""; ; ) {
        const { done, value } = await reader.read();
        if (done) break;
        const split = splitEvents(rest + value);
        rest = split.rest;
        for (const { type, data } of split.events) onEvent(type, JSON.parse(data));
      }
    } catch (error) {
      if (error instanceof Refused && error.status < 500) throw error;
    }
    if (hiding.signal.aborted) continue;
    onOnline(false);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
