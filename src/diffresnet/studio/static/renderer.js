// The WebGL2 renderer: up to millions of points. New labels upload three bytes a point, nothing more.

import { FRAGMENT, PLAIN_FRAGMENT, VERTEX } from "./shaders.js";
import { GROUNDS, PALE, UNREACHED, paletteBytes, parseColor } from "./palette.js";

const UNIFORMS = [
  "startBox", "goalBox", "travel", "view", "aspect", "size", "layer", "coloring", "ground",
  "unreached", "ink", "faded", "pale", "palette", "plain",
];
const INKS = { light: "#14171b", dark: "#ffffff" };
const MOST_STRIDE = 31; // WebGL allows 255 bytes between places of 8
const PLAIN_BELOW = 4; // device pixels; more where there are many
const MANY = 200000;
const COLORING_CODES = { class: 0, certainty: 1, reached: 2 };

/** Diameter of a point in CSS pixels: smaller for more points and on small maps, growing with zoom. */
export function pointSize(n, zoom, size) {
  const base = Math.min(8, Math.max(2, 7.8 - 1.45 * Math.log10(Math.max(n, 10) / 300)));
  const room = Math.min(1.1, Math.max(0.62, Math.sqrt(Math.min(size.width, size.height) / 780)));
  return Math.min(22, base * room * Math.max(zoom, 0.6) ** 0.38);
}

/** Return the renderer of a canvas, or null where the browser has no WebGL2. */
export function makeRenderer(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, preserveDrawingBuffer: false });
  if (!gl) return null;
  const full = link(gl, FRAGMENT);
  const plain = link(gl, PLAIN_FRAGMENT);
  let at = full.at;
  const buffers = Object.fromEntries(
    ["start", "goal", "kind", "certainty", "selected", "starStart", "starGoal", "starKind"]
      .map((name) => [name, gl.createBuffer()]),
  );
  const texture = gl.createTexture();
  const scene = {
    n: 0, start: null, goal: null, startBox: null, goalBox: null, nSelected: 0, stars: new Map(),
    theme: "light", coloring: "class",
  };

  function upload(name, data, kind = gl.ARRAY_BUFFER) {
    gl.bindBuffer(kind, buffers[name]);
    gl.bufferData(kind, data, gl.DYNAMIC_DRAW);
  }

  function attribute(location, name, type, size, every = 1) {
    const bytes = { [gl.FLOAT]: 4, [gl.UNSIGNED_SHORT]: 2, [gl.UNSIGNED_BYTE]: 1 }[type] * size;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffers[name]);
    gl.enableVertexAttribArray(location);
    if (type === gl.FLOAT) gl.vertexAttribPointer(location, size, type, false, bytes * every, 0);
    else gl.vertexAttribIPointer(location, size, type, bytes * every, 0);
  }

  function attributes(every) {
    attribute(0, "start", gl.FLOAT, 2, every);
    attribute(1, "goal", gl.FLOAT, 2, every);
    attribute(2, "kind", gl.UNSIGNED_SHORT, 1, every);
    attribute(3, "certainty", gl.UNSIGNED_BYTE, 1, every);
  }

  /** Places to come from and to go to; both maps in the server's coordinates. */
  function setPlaces(start, startBox, goal, goalBox) {
    upload("start", start);
    upload("goal", goal);
    Object.assign(scene, { start, goal, startBox, goalBox, n: goal.length / 2 });
    setStars(scene.stars);
  }

  function setLabels(predicted, certainty) {
    upload("kind", predicted);
    upload("certainty", certainty);
  }

  function setSelected(rows) {
    scene.nSelected = rows.length;
    if (rows.length) upload("selected", rows, gl.ELEMENT_ARRAY_BUFFER);
  }

  /** Stars have buffers of their own: few, and of the given class, not the predicted one. */
  function setStars(given) {
    scene.stars = given;
    const rows = Uint32Array.from(given.keys());
    upload("starStart", gather(scene.start, rows));
    upload("starGoal", gather(scene.goal, rows));
    upload("starKind", Uint16Array.from(given.values()));
  }

  function setLook(classes, theme, coloring) {
    Object.assign(scene, { theme, coloring });
    const { bytes, height } = paletteBytes(classes, theme);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
  }

  function color(name, hex) {
    gl.uniform3fv(at[name], parseColor(hex).map((value) => value / 255));
  }

  function layer(code, drawCall) {
    gl.uniform1i(at.layer, code);
    drawCall();
  }

  /** Take a program, and tell it all but the layer. */
  function use(program, view, size, travel, diameter) {
    gl.useProgram(program.program);
    at = program.at;
    const { startBox, goalBox } = scene;
    gl.uniform3f(at.startBox, startBox.x, startBox.y, startBox.scale);
    gl.uniform3f(at.goalBox, goalBox.x, goalBox.y, goalBox.scale);
    gl.uniform1f(at.travel, travel);
    gl.uniform3f(at.view, view.x, view.y, (2 * view.scale) / size.height);
    gl.uniform1f(at.aspect, size.width / size.height);
    gl.uniform1f(at.size, diameter);
    gl.uniform1i(at.plain, program === plain ? 1 : 0);
    gl.uniform1i(at.coloring, COLORING_CODES[scene.coloring]);
    gl.uniform1f(at.faded, scene.nSelected > 1 ? 0.62 : 0);
    gl.uniform1f(at.pale, PALE[scene.theme]);
    color("ground", GROUNDS[scene.theme]);
    color("unreached", UNREACHED[scene.theme]);
    color("ink", INKS[scene.theme]);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.uniform1i(at.palette, 0);
  }

  /** Draw the scene for a view; `travel` 0 at the start's places, 1 at the goal's; every n-th point. */
  function draw(view, size, travel, zoom, ratio, every = 1) {
    gl.viewport(0, 0, canvas.width, canvas.height);
    const ground = parseColor(GROUNDS[scene.theme]).map((value) => value / 255);
    gl.clearColor(...ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!scene.n || gl.isContextLost()) return;
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const diameter = pointSize(scene.n, zoom, size) * ratio;
    const isPlain = diameter < (scene.n > MANY ? 1.5 : 1) * PLAIN_BELOW;
    use(isPlain ? plain : full, view, size, travel, diameter);
    const step = Math.min(every, MOST_STRIDE);
    attributes(step);
    layer(0, () => gl.drawArrays(gl.POINTS, 0, Math.floor(scene.n / step)));
    attributes(1);
    if (isPlain) use(full, view, size, travel, diameter);
    if (scene.nSelected) {
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, buffers.selected);
      layer(1, () => gl.drawElements(gl.POINTS, scene.nSelected, gl.UNSIGNED_INT, 0));
    }
    if (scene.stars.size) {
      attribute(0, "starStart", gl.FLOAT, 2);
      attribute(1, "starGoal", gl.FLOAT, 2);
      attribute(2, "starKind", gl.UNSIGNED_SHORT, 1);
      gl.disableVertexAttribArray(3);
      gl.vertexAttribI4ui(3, 255, 0, 0, 0);
      layer(2, () => gl.drawArrays(gl.POINTS, 0, scene.stars.size));
    }
  }

  /** Colors of pixels in CSS coordinates, right after a draw: for tests. */
  function readPixel(left, top, ratio) {
    const pixel = new Uint8Array(4);
    gl.readPixels(left * ratio, canvas.height - top * ratio, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return Array.from(pixel);
  }

  return { setPlaces, setLabels, setSelected, setStars, setLook, draw, readPixel, gl };
}

function gather(places, rows) {
  const found = new Float32Array(2 * rows.length);
  rows.forEach((row, at) => found.set([places[2 * row], places[2 * row + 1]], 2 * at));
  return found;
}

function link(gl, fragment) {
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const at = Object.fromEntries(UNIFORMS.map((name) => [name, gl.getUniformLocation(program, name)]));
  return { program, at };
}
