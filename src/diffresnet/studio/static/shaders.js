// One program draws all points: places move between two maps, a texture gives each class its color
// and shape, certainty makes it pale.

export const VERTEX = `#version 300 es
layout(location = 0) in vec2 start;
layout(location = 1) in vec2 goal;
layout(location = 2) in uint kind;
layout(location = 3) in uint certainty;
uniform vec3 startBox, goalBox;   // x, y, scale
uniform float travel;
uniform vec3 view;                // x, y, clip units a world unit along y
uniform float aspect, size;
uniform int layer;                // 0 points, 1 selected, 2 stars
uniform bool plain;
uniform int coloring;             // 0 class, 1 certainty, 2 reached
uniform vec3 ground, unreached, ink;
uniform float faded, pale;
uniform sampler2D palette;
flat out vec3 color;
flat out int shape;
flat out float diameter, alpha;

vec3 ramp(float at) {
  vec3 low = vec3(0.80, 0.37, 0.02), middle = vec3(0.55, 0.56, 0.62), high = vec3(0.10, 0.40, 0.72);
  return at < 0.5 ? mix(low, middle, at * 2.0) : mix(middle, high, at * 2.0 - 1.0);
}

void main() {
  vec2 place = mix((start - startBox.xy) * startBox.z, (goal - goalBox.xy) * goalBox.z, travel);
  vec2 seen = (place - view.xy) * view.z;
  gl_Position = vec4(seen.x / aspect, seen.y, 0.0, 1.0);
  bool reached = certainty > 0u;
  float sure = reached ? float(certainty - 1u) / 254.0 : 0.0;
  vec4 entry = kind == 65535u ? vec4(mix(unreached, ink, 0.45), 0.0)
    : texelFetch(palette, ivec2(int(kind & 255u), int(kind >> 8u)), 0);
  shape = coloring == 0 && reached ? int(entry.a * 255.0 + 0.5) : 0;
  vec3 full = coloring == 0 ? entry.rgb : coloring == 1 ? ramp(sure) : ramp(1.0);
  float strength = coloring == 0 ? mix(pale, 1.0, smoothstep(0.25, 0.95, sure)) : 1.0;
  color = reached ? mix(ground, full, strength) : unreached;
  alpha = 1.0;
  diameter = reached ? size : size * 0.8;
  if (layer == 0) {
    alpha *= 1.0 - faded;
  } else if (layer == 1) {
    color = reached ? mix(ground, full, max(strength, 0.6)) : unreached;
    diameter = max(size * 1.15, size + 1.0);
    alpha = 1.0;
  } else {
    shape = kind == 65535u ? 9 : 8;
    color = kind == 65535u ? ink : entry.rgb;
    diameter = max(size * 2.1, size + 9.0);
    alpha = 1.0;
  }
  gl_PointSize = plain ? diameter : diameter + 3.0;
}`;

/** Points of a few pixels have no shape: this costs a tenth, and there may be a million. */
export const PLAIN_FRAGMENT = `#version 300 es
precision mediump float;
flat in vec3 color;
flat in float alpha;
out vec4 paint;
void main() { paint = vec4(color, alpha); }`;

export const FRAGMENT = `#version 300 es
precision highp float;
precision highp int;
flat in vec3 color;
flat in int shape;
flat in float diameter, alpha;
uniform int layer;
uniform vec3 ground, ink;
out vec4 paint;

float polygon(vec2 at, float corners, float turn) {
  float angle = atan(at.x, at.y) + turn, part = 6.2831853 / corners;
  return cos(floor(0.5 + angle / part) * part - angle) * length(at);
}

float star(vec2 at) {
  float angle = mod(atan(at.x, at.y) + 0.6283185, 1.2566371) - 0.6283185;
  vec2 folded = length(at) * vec2(cos(angle), abs(sin(angle)));
  vec2 tip = vec2(1.0, 0.0), dent = 0.46 * vec2(cos(0.6283185), sin(0.6283185));
  vec2 edge = dent - tip, away = folded - tip;
  return (edge.x * away.y - edge.y * away.x) / length(edge) * -1.0 + 1.0;
}

float reach(vec2 at) {
  vec2 side = abs(at);
  if (shape == 1) return max(side.x, side.y) * 1.16;
  if (shape == 2) return polygon(at + vec2(0.0, 0.14), 3.0, 0.0 + 3.1415927) * 1.62;
  if (shape == 3) return (side.x * 1.12 + side.y) * 0.95;
  if (shape == 4) return polygon(at - vec2(0.0, 0.14), 3.0, 0.0) * 1.62;
  if (shape == 5) return max(min(side.x, side.y) - 0.34 + 1.0, max(side.x, side.y));
  if (shape == 6) {
    vec2 turned = abs(vec2(at.x + at.y, at.x - at.y)) * 0.7071;
    return max(min(turned.x, turned.y) - 0.32 + 1.0, max(turned.x, turned.y));
  }
  if (shape == 7) return polygon(at, 6.0, 0.0) * 1.1;
  if (shape == 8) return star(at);
  if (shape == 9) return abs(length(at) - 0.6) + 0.72;
  return length(at);
}

void main() {
  float pixel = 2.0 / diameter;
  vec2 at = (gl_PointCoord - 0.5) * vec2(1.0, -1.0) * (diameter + 3.0) * pixel;
  float far = reach(at);
  float cover = 1.0 - smoothstep(1.0 - 0.75 * pixel, 1.0 + 0.75 * pixel, far);
  if (layer == 0) {
    if (cover * alpha < 0.02) discard;
    paint = vec4(color, cover * alpha);
    return;
  }
  float rim = 1.0 - smoothstep(1.0 + 0.4 * pixel, 1.0 + 1.7 * pixel, far);
  if (rim < 0.02) discard;
  vec3 edge = layer == 2 && shape == 9 ? ground : ink;
  paint = vec4(mix(edge, color, cover), rim);
}`;
