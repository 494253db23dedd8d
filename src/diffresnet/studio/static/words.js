// Numbers and counts as people write them.

export function number(value) {
  return value.toLocaleString("en-US");
}

export function count(value, one, many = `${one}s`) {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** How a label came here: by how many points between. */
export function over(n) {
  return n > 0 ? `over ${count(n, "neighbor")}` : "directly";
}

export function percent(share) {
  if (share === null || share === undefined) return "–";
  const value = 100 * share;
  return `${value >= 99.5 && value < 100 ? Math.floor(value) : Math.round(value)}%`;
}

export function shortened(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}

/** Capital letter and full stop, for the sentences of announcements. */
export function sentence(text) {
  const trimmed = text.trim();
  if (!trimmed) return "";
  const end = /[.!?…]$/.test(trimmed) ? "" : ".";
  return trimmed[0].toUpperCase() + trimmed.slice(1) + end;
}
