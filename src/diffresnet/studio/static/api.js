// Requests to the server: one origin, a cookie, JSON or binary frames.

import { decodeFrame, splitEvents } from "./frame.js";

export const TAB = crypto.randomUUID();

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

/** Read the server's events for ever; `onOnline(true or false)` when the connection comes and goes. */
export async function listen(onEvent, onOnline) {
  for (let wait = 500; ; wait = Math.min(2 * wait, 5000)) {
    try {
      const reader = (await ask("/api/events")).body.pipeThrough(new TextDecoderStream()).getReader();
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
    onOnline(false);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}
