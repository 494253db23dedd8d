// Binary frames: uint32 length of the header, the header as JSON, then the arrays.

const KINDS = { f4: Float32Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };
export const NO_CLASS = 65535;

/** Return `{header, arrays}` of a frame; the arrays share its memory. */
export function decodeFrame(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const start = 4 + length;
  const arrays = {};
  for (const { name, type, shape, offset } of header.arrays) {
    const size = shape.reduce((product, side) => product * side, 1);
    arrays[name] = new KINDS[type](buffer, start + offset, size);
  }
  return { header, arrays };
}

/** Class ids as 16 bits, 65535 where there is none, from 8 or 16 bits. */
export function widenClasses(ids) {
  if (ids instanceof Uint16Array) return ids;
  const wide = new Uint16Array(ids.length);
  for (let row = 0; row < ids.length; row++) wide[row] = ids[row] === 255 ? NO_CLASS : ids[row];
  return wide;
}

/** A copy of `whole` with `part` written at `rows`; `part` itself where all rows are given. */
export function patch(whole, part, rows) {
  if (!rows) return part;
  const copy = whole.slice();
  for (let at = 0; at < rows.length; at++) copy[rows[at]] = part[at];
  return copy;
}

/** The probability that a certainty byte stands for; null where no label reaches. */
export function probabilityOf(byte) {
  return byte === 0 ? null : (byte - 1) / 254;
}

/** Split the text of a server-sent event stream: whole events, and what is left of the last. */
export function splitEvents(text) {
  const blocks = text.replaceAll("\r\n", "\n").split("\n\n");
  const rest = blocks.pop();
  const events = [];
  for (const block of blocks) {
    let type = "message";
    const data = [];
    for (const line of block.split("\n")) {
      if (line.startsWith("event:")) type = line.slice(6).trim();
      else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
    }
    if (data.length) events.push({ type, data: data.join("\n") });
  }
  return { events, rest };
}
