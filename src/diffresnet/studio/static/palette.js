// Colors and marks of classes. The server gives each class a color (told apart by color-blind people)
// and a shape; here colors are made to stand out from the ground, light or dark.

export const GROUNDS = { light: "#fbfbfc", dark: "#0f1216" };
const LEAST_CONTRAST = { light: 2.2, dark: 3.8 }; // pale means unsure, so no class may be pale itself

export function parseColor(hex) {
  const number = /^#[0-9a-f]{6}$/i.test(hex) ? parseInt(hex.slice(1), 16) : 0x8d949c;
  return [number >> 16, (number >> 8) & 255, number & 255];
}

export function formatColor(rgb) {
  return `#${rgb.map((value) => Math.round(value).toString(16).padStart(2, "0")).join("")}`;
}

/** Relative luminance, as WCAG defines it. */
export function luminance(rgb) {
  const [red, green, blue] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(one, other) {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

/** The color, moved toward white or black until it stands out from the ground of a theme. */
export function adapt(hex, theme) {
  const ground = parseColor(GROUNDS[theme]);
  const aim = theme === "dark" ? 255 : 0;
  const color = parseColor(hex);
  let moved = color;
  for (let share = 0.06; contrast(moved, ground) < LEAST_CONTRAST[theme] && share <= 1; share += 0.06) {
    moved = color.map((value) => value + (aim - value) * share);
  }
  return formatColor(moved);
}

export const UNREACHED = { light: "#8a919a", dark: "#626a74" }; // 3:1 from the ground: a first map has nothing else

/** How much of its color an unsure point keeps. */
export const PALE = { light: 0.2, dark: 0.32 };

/** Outlines around the origin for a radius of 5, by shape number: the renderer draws the same. */
export const OUTLINES = [
  "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
  "M-4-4h8v8h-8z",
  "M0-5L4.8 3.6H-4.8z",
  "M0-5.4L4.6 0L0 5.4L-4.6 0z",
  "M0 5L4.8-3.6H-4.8z",
  "M-1.7-5h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3v-3.4h3.3z",
  "M-4.6-2.2L-2.2-4.6 0-2.4 2.2-4.6 4.6-2.2 2.4 0 4.6 2.2 2.2 4.6 0 2.4-2.2 4.6-4.6 2.2-2.4 0z",
  "M0-5L4.4-2.5V2.5L0 5L-4.4 2.5V-2.5z",
];

/** Bytes of a texture 256 wide: red, green, blue, shape of each class id. */
export function paletteBytes(classes, theme) {
  const most = classes.reduce((id, one) => Math.max(id, one.id), 0);
  const height = (most >> 8) + 1;
  const bytes = new Uint8Array(256 * height * 4);
  const unknown = parseColor(UNREACHED[theme]);
  for (let id = 0; id < 256 * height; id++) bytes.set(unknown, 4 * id);
  for (const { id, color, shape } of classes) {
    bytes.set([...parseColor(adapt(color, theme)), shape & 7], 4 * id);
  }
  return { bytes, height };
}
