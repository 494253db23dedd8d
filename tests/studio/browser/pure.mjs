// Tests of the page's pure functions, run by node: `node --test pure.mjs`, with STATIC the folder of modules.
import assert from "node:assert/strict";
import test from "node:test";
import { pathToFileURL } from "node:url";

const load = (name) => import(new URL(`${name}.js`, `${pathToFileURL(process.env.STATIC).href}/`));
const frame = await load("frame");
const geometry = await load("geometry");
const palette = await load("palette");
const keys = await load("keys");
const state = await load("state");
const words = await load("words");

function encode(header, arrays) {
  let offset = 0;
  const specs = Object.entries(arrays).map(([name, [type, array, shape]]) => {
    const spec = { name, type, shape: shape ?? [array.length], offset };
    offset += Math.ceil(array.byteLength / 8) * 8;
    return spec;
  });
  let text = JSON.stringify({ ...header, arrays: specs });
  while ((4 + new TextEncoder().encode(text).length) % 8) text += " ";
  const bytes = new TextEncoder().encode(text);
  const buffer = new ArrayBuffer(4 + bytes.length + offset);
  new DataView(buffer).setUint32(0, bytes.length, true);
  new Uint8Array(buffer).set(bytes, 4);
  Object.values(arrays).forEach(([, array], at) => {
    new Uint8Array(buffer).set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), 4 + bytes.length + specs[at].offset);
  });
  return frame.decodeFrame(buffer);
}

const CLASSES = [
  { id: 0, name: "cat", color: "#0072b2", key: "1", shape: 0, n_labels: 1, n_predicted: 2 },
  { id: 4, name: "dog", color: "#000000", key: "a", shape: 3, n_labels: 0, n_predicted: 0 },
];
const project = { title: "t", stage: "ready", classes: CLASSES, undo: null, redo: null };
const whole = (version, predicted, certainty, more = {}) => encode({ version, n: predicted.length, project }, {
  xy: ["f4", new Float32Array([0, 0, 1, 0, 2, 0, 3, 0]), [4, 2]],
  predicted: ["u1", new Uint8Array(predicted)], certainty: ["u1", new Uint8Array(certainty)],
  labeled: ["u4", new Uint32Array([1])], given: ["u2", new Uint16Array([4])], skipped: ["u4", new Uint32Array([3])], ...more,
});
const begin = () => state.reduce(state.START, { type: "frame", frame: whole(5, [0, 4, 255, 0], [255, 255, 0, 100]) });

test("a frame is read with names of any language in its header", () => {
  const { header, arrays } = encode({ version: 3, n: 2, said: "größer 猫" }, {
    xy: ["f4", new Float32Array([1.5, -2, 3, 4]), [2, 2]], predicted: ["u2", new Uint16Array([300, 65535])], certainty: ["u1", new Uint8Array([255, 0])],
  });
  assert.equal(header.said, "größer 猫");
  assert.deepEqual([...arrays.xy], [1.5, -2, 3, 4]);
  assert.deepEqual([...arrays.predicted], [300, 65535]);
});

test("bytes become wide ids, 255 becomes no class", () => {
  assert.deepEqual([...frame.widenClasses(new Uint8Array([0, 254, 255]))], [0, 254, 65535]);
  const wide = new Uint16Array([255, 65535]);
  assert.equal(frame.widenClasses(wide), wide);
});

test("certainty bytes are probabilities", () => {
  assert.equal(frame.probabilityOf(0), null);
  assert.equal(frame.probabilityOf(1), 0);
  assert.equal(frame.probabilityOf(255), 1);
});

test("events are split wherever the stream was cut", () => {
  const text = ": beat\n\nevent: version\ndata: {\"version\": 2}\n\nevent: layout\r\ndata: {}\r\n\r\n";
  for (let cut = 0; cut <= text.length; cut++) {
    const first = frame.splitEvents(text.slice(0, cut));
    const second = frame.splitEvents(first.rest + text.slice(cut));
    const types = [...first.events, ...second.events].map((event) => event.type);
    assert.deepEqual(types, ["version", "layout"], `cut at ${cut}`);
  }
});

const isInside = (polygon, x, y) => geometry.rowsInside(polygon, new Float32Array([x, y])).length === 1;

test("a lasso follows the even-odd rule", () => {
  const star = [[0, 3], [1.8, -2.4], [-2.9, 0.9], [2.9, 0.9], [-1.8, -2.4]];
  assert.equal(isInside(star, 0, 0), false);
  assert.equal(isInside(star, 0, 2), true);
  const square = [[0, 0], [2, 0], [2, 2], [0, 2]];
  const places = new Float32Array([1, 1, 3, 1, -1, 1, 0.5, 1.5]);
  assert.deepEqual([...geometry.rowsInside(square, places)], [0, 3]);
  const shifted = square.map(([x, y]) => [x + 1, y]);
  assert.equal([square, shifted].filter((each) => isInside(each, 1.5, 1)).length, 2);
});

test("a shared edge belongs to one side only", () => {
  const left = [[0, 0], [1, 0], [1, 1], [0, 1]];
  const right = [[1, 0], [2, 0], [2, 1], [1, 1]];
  for (const y of [0, 0.5, 1]) {
    assert.ok(isInside(left, 1, y) + isInside(right, 1, y) <= 1);
  }
  assert.equal(isInside(left, 1, 0.5) + isInside(right, 1, 0.5), 1);
});

test("screen and world are inverse, and zoom keeps the place under the mouse", () => {
  const size = { width: 800, height: 600 };
  const view = { x: 0.2, y: -0.4, scale: 250 };
  const world = geometry.toWorld(view, size, 123, 456);
  const [left, top] = geometry.toScreen(view, size, ...world);
  assert.ok(Math.abs(left - 123) < 1e-9 && Math.abs(top - 456) < 1e-9);
  const near = geometry.zoomAt(view, size, 123, 456, 3);
  const after = geometry.toScreen(near, size, ...world);
  assert.ok(Math.hypot(after[0] - 123, after[1] - 456) < 1e-9);
  assert.equal(geometry.zoomAt(view, size, 0, 0, 1e12).scale, geometry.MOST_SCALE);
});

test("two fingers keep what lies under them", () => {
  const size = { width: 400, height: 400 };
  const view = { x: 0, y: 0, scale: 100 };
  const from = [[100, 100], [200, 100]], to = [[80, 150], [280, 150]];
  const next = geometry.pinch(view, size, from, to);
  from.forEach((finger, at) => {
    const place = geometry.toScreen(next, size, ...geometry.toWorld(view, size, ...finger));
    assert.ok(Math.hypot(place[0] - to[at][0], place[1] - to[at][1]) < 1e-9);
  });
});

test("a map is fitted, flat ones and single points too", () => {
  assert.deepEqual(geometry.fitBox(new Float32Array([5, 5])), { x: 5, y: 5, scale: 2, half: [0, 0] });
  assert.deepEqual(geometry.fitBox(new Float32Array([])), { x: 0, y: 0, scale: 1, half: [1, 1] });
  const box = geometry.fitBox(new Float32Array([-10, 0, 30, 0]));
  assert.deepEqual(geometry.mapToWorld(box, 30, 0), [1, 0]);
  assert.deepEqual(geometry.worldToMap(box, [1, 0]), [30, 0]);
  const insets = { left: 10, right: 10, top: 10, bottom: 90 };
  const view = geometry.fitView({ width: 500, height: 400 }, { left: -1, right: 1, low: -1, high: 1 }, insets);
  const [, low] = geometry.toScreen(view, { width: 500, height: 400 }, 0, -1);
  assert.ok(low <= 310 + 1e-9);
});

test("the nearest point, and the nearest in a direction", () => {
  const places = new Float32Array([0, 0, 1, 0, 0, 1, 5, 0.1, 1, 4]);
  assert.equal(geometry.nearest(places, 0.9, 0.1, 0.5), 1);
  assert.equal(geometry.nearest(places, 3, 3, 0.5), -1);
  assert.equal(geometry.step(places, 0, "right"), 1);
  assert.equal(geometry.step(places, 1, "right"), 3);
  assert.equal(geometry.step(places, 0, "up"), 2);
  assert.equal(geometry.step(places, 0, "left"), 0);
  assert.deepEqual(geometry.nearestRows(places, 0, 3), [0, 1, 2]);
});

test("arrow keys reach every point of a cloud that has no twins", () => {
  const places = new Float32Array(200).map((_, at) => Math.sin(at * 12.9898) * 43758.5453 % 1);
  const seen = new Set([0]);
  for (const row of seen) for (const way of ["left", "right", "up", "down"]) seen.add(geometry.step(places, row, way));
  assert.equal(seen.size, 100);
});

test("names lie where most of a class is", () => {
  const places = new Float32Array([-1, -1, -0.98, -1, -1, -0.98, 1, 1, 0.5, 0.5]);
  const found = geometry.anchors(places, { x: 0, y: 0, scale: 1 }, new Uint16Array([7, 7, 7, 7, 65535]), new Uint8Array([200, 200, 200, 200, 0]), [7, 8]);
  assert.equal(found.length, 1);
  assert.ok(found[0].x < -0.8 && found[0].y < -0.8);
});

test("colors stand out from the ground in light and dark", () => {
  for (const theme of ["light", "dark"]) {
    for (const color of ["#000000", "#ffffff", "#f0e442", "#0072b2", "#4b3bb0", "not a color"]) {
      const adapted = palette.parseColor(palette.adapt(color, theme));
      assert.ok(palette.contrast(adapted, palette.parseColor(palette.GROUNDS[theme])) >= { light: 2.15, dark: 3.7 }[theme], `${color} in ${theme}`);
    }
  }
  assert.equal(palette.adapt("#0072b2", "light"), "#0072b2");
});

test("points without a label stand out from the ground, and from pale ones", () => {
  const colors = ["#2755aa", "#eaa10d", "#0a8656", "#ae317d", "#809afd", "#d1b25e", "#6e39dd", "#9c7c06", "#b08cca", "#fd5f7d", "#0ec5ac", "#645708"];
  for (const theme of ["light", "dark"]) {
    const ground = palette.parseColor(palette.GROUNDS[theme]);
    const gray = palette.parseColor(palette.UNREACHED[theme]);
    assert.ok(palette.contrast(gray, ground) >= 3, theme);
    for (const color of colors) {
      const pale = palette.parseColor(palette.adapt(color, theme)).map((value, at) => ground[at] + (value - ground[at]) * palette.PALE[theme]);
      assert.ok(palette.contrast(gray, pale) >= 1.5, `${color} in ${theme}: ${palette.contrast(gray, pale)}`);
    }
  }
});

test("names of classes are whole, and off the stars and each other", () => {
  const size = { width: 300, height: 200 };
  const name = (left, top) => ({ text: "a class", left, top, half: 40 });
  const at = (names, stars = []) => geometry.placeNames(names, stars, size).map(({ left, top }) => [left, top]);
  assert.deepEqual(at([name(5, 4), name(299, 199)]), [[40, 10], [260, 190]]);
  assert.deepEqual(at([name(-5, 100), name(150, 900)]), [], "what is not on the screen has no name there");
  assert.deepEqual(at([name(150, 100)], [[150, 100]]), [[150, 78]]);
  assert.deepEqual(at([name(150, 100), name(160, 100)]), [[150, 100], [160, 78]]);
});

test("the palette holds color and shape by id, past 255 too", () => {
  const { bytes, height } = palette.paletteBytes([{ id: 300, color: "#0072b2", shape: 5 }], "light");
  assert.equal(height, 2);
  assert.deepEqual([...bytes.slice(1200, 1204)], [0x00, 0x72, 0xb2, 5]);
});

test("keys of classes and of commands never collide", () => {
  const all = [..."123456789abcdefghijklmnopqrstuvwxyz"].map((key, id) => ({ id, key }));
  for (const { id, key } of all) {
    assert.deepEqual(keys.meaning({ key }, "map", all), { class: id });
    assert.equal(keys.meaning({ key: key.toUpperCase(), shift: true }, "map", all)?.class, undefined);
    assert.equal(keys.meaning({ key }, "text", all), null);
  }
  const names = keys.COMMANDS.map(([, key]) => key);
  assert.equal(new Set(names).size, names.length);
});

test("keys mean what the list of keys says", () => {
  const mean = (key, more = {}, where = "map") => keys.meaning({ key, ...more }, where, CLASSES);
  assert.deepEqual(mean("Enter"), { command: "accept" });
  assert.equal(mean("Enter", {}, "button"), null);
  assert.deepEqual(mean("z", { ctrl: true }), { command: "undo" });
  assert.deepEqual(mean("Z", { ctrl: true, shift: true }), { command: "redo" });
  assert.deepEqual(mean("y", { ctrl: true }), { command: "redo" });
  assert.equal(mean("c", { ctrl: true }), null);
  assert.equal(mean("z", { ctrl: true }, "text"), null);
  assert.deepEqual(mean("0"), { command: "none" });
  assert.deepEqual(mean("?", { shift: true }), { command: "help" });
  assert.deepEqual(mean("ArrowUp", { shift: true }), { arrow: "up", extend: true });
  assert.equal(mean("ArrowUp", {}, "list"), null);
  assert.deepEqual(mean("a"), { class: 4 });
  assert.deepEqual(mean("1", {}, "name"), { class: 0 });
  assert.deepEqual(mean("z", { ctrl: true }, "name"), { command: "undo" });
  for (const typed of ["a", "N", " ", "Backspace", "Enter"]) assert.equal(mean(typed, { shift: typed === "N" }, "name"), null);
  assert.equal(keys.meaning({ key: "1" }, "name", [{ id: 0, key: "1", name: "1st" }]), null, "a name, not a key");
  assert.equal(keys.meaning({ key: "0" }, "name", []), null, "the first class may be called 0");
  for (const [, key, name] of keys.COMMANDS) {
    if (name && /^Shift\+.$/.test(key)) assert.deepEqual(mean(key.at(-1), { shift: true }), { command: name });
  }
});

test("frames change what is known; older ones do not", () => {
  const first = begin();
  assert.deepEqual([...first.predicted], [0, 4, 65535, 0]);
  assert.deepEqual([...first.given], [[1, 4]]);
  assert.deepEqual([...first.skipped], [3]);
  const part = encode({ version: 6, n: 4, said: "done" }, {
    rows: ["u4", new Uint32Array([2])], predicted: ["u1", new Uint8Array([4])], certainty: ["u1", new Uint8Array([9])],
  });
  const second = state.reduce(first, { type: "frame", frame: part });
  assert.deepEqual([...second.predicted], [0, 4, 4, 0]);
  assert.equal(second.certainty[2], 9);
  assert.deepEqual([...first.predicted], [0, 4, 65535, 0], "the state before is left alone");
  assert.equal(second.said, "done");
  const old = state.reduce(second, { type: "frame", frame: whole(4, [4, 4, 4, 4], [1, 1, 1, 1]) });
  assert.equal(old.predicted, second.predicted);
});

test("selections are replaced, added and taken away", () => {
  const select = (from, step) => state.reduce(from, { type: "select", step });
  const square = [[-0.5, -1], [1.5, -1], [1.5, 1], [-0.5, 1]];
  const one = select(begin(), { mode: "add", polygon: square, map: "after" });
  assert.deepEqual([...one.selection.rows], [0, 1]);
  const two = select(one, { mode: "add", rows: [3] });
  assert.deepEqual([...two.selection.rows], [0, 1, 3]);
  const three = select(two, { mode: "remove", rows: [0] });
  assert.deepEqual([...three.selection.rows], [1, 3]);
  assert.deepEqual(state.selectionMessage(three.selection, 4), { rows: [1, 3] });
  assert.equal(select({ ...three, which: "agreeing" }, null).which, "all");
  assert.equal(select(three, { mode: "remove", rows: [1, 3] }).selection, state.NO_SELECTION);
  assert.equal(select(three, null).selection, state.NO_SELECTION);
  assert.deepEqual([...select(three, { mode: "replace", rows: [2] }).selection.rows], [2]);
});

test("large selections are sent as a bit for each point", () => {
  const rows = Uint32Array.from({ length: 20000 }, (_, at) => 3 * at);
  const { bits } = state.selectionMessage({ rows }, 60001);
  const bytes = Uint8Array.from(atob(bits), (letter) => letter.charCodeAt(0));
  assert.equal(bytes.length, 7501);
  for (const row of [0, 1, 3, 59996, 59997, 60000]) {
    assert.equal((bytes[row >> 3] >> (row & 7)) & 1, row % 3 === 0 && row < 60000 ? 1 : 0, `row ${row}`);
  }
});

test("a late summary of another selection is dropped", () => {
  const one = state.reduce(begin(), { type: "select", step: { mode: "replace", rows: [0] } });
  const two = state.reduce(one, { type: "select", step: { mode: "replace", rows: [1] } });
  assert.equal(state.reduce(two, { type: "summary", summary: {}, of: one.selection }).selection.summary, null);
});

test("the question on the screen stays first while it is open", () => {
  const old = [{ row: 7 }, { row: 8 }];
  const fresh = [{ row: 8, reason: "new" }, { row: 9 }];
  assert.deepEqual(state.mergeQueue(old, fresh, () => true).map((one) => one.row), [7, 8, 9]);
  assert.deepEqual(state.mergeQueue(old, fresh, (row) => row !== 7).map((one) => one.row), [8, 9]);
  assert.equal(state.mergeQueue([{ row: 8, reason: "old" }], fresh, () => true)[0].reason, "new");
});

test("keys label the selection, else the question, else the cursor", () => {
  const asked = { ...begin(), queue: [{ row: 2 }], cursor: 0 };
  assert.deepEqual(state.target(asked), { kind: "question", rows: [2], n: 1 });
  assert.equal(state.target({ ...asked, tab: "check" }).kind, "cursor");
  assert.equal(state.target(state.reduce(asked, { type: "select", step: { mode: "replace", rows: [0, 1] } })).n, 2);
  assert.equal(state.target(begin()), null);
});

test("slider places and strengths are inverse", () => {
  const range = { least: 0.5, most: 40 };
  for (const share of [0, 0.1, 0.5, 1]) {
    assert.ok(Math.abs(state.placeOf(state.strengthAt(share, range), range) - share) < 1e-12);
  }
  assert.equal(state.placeOf(3, { least: 3, most: 3 }), 0);
});

test("numbers, counts and sentences read well", () => {
  assert.equal(words.count(1, "point"), "1 point");
  assert.equal(words.count(1797, "point"), "1,797 points");
  assert.equal(words.percent(0.999), "99%");
  assert.equal(words.percent(1), "100%");
  assert.equal(words.percent(null), "–");
  assert.equal(words.sentence("label 2 points"), "Label 2 points.");
  assert.deepEqual([-1, 0, 1, 2].map(words.over), ["directly", "directly", "over 1 neighbor", "over 2 neighbors"]);
  assert.equal(words.shortened("abcdef", 4), "abc…");
});

test("a part of a whole that was a first look stays one", () => {
  const whole = (version, is_first) => encode({ version, n: 3, is_first }, { predicted: ["u1", new Uint8Array([0, 1, 255])], certainty: ["u1", new Uint8Array([9, 9, 0])] });
  const part = (version) => encode({ version, n: 3, is_first: false }, { rows: ["u4", new Uint32Array([1])], predicted: ["u1", new Uint8Array([0])], certainty: ["u1", new Uint8Array([7])] });
  const after = (begin, ...frames) => frames.reduce((one, each) => state.reduce(one, { type: "frame", frame: each }), begin);
  assert.equal(after(state.START, whole(1, false)).learned, true);
  const looked = after(state.START, whole(1, true));
  assert.equal(looked.learned, false);
  assert.equal(after(looked, part(2)).learned, false);
  assert.equal(after(looked, whole(0, false)).learned, false, "an old frame changes nothing");
  assert.equal(after(looked, part(2), whole(2, false)).learned, true);
});

test("panels hear of a change to which a watcher adds another", async () => {
  globalThis.requestAnimationFrame ??= (work) => setTimeout(work, 0);
  const store = await load("store");
  const heard = [];
  store.watch(["version"], () => store.set({ busy: store.now().busy + 1 }));
  store.watchLater(["version"], ({ version }) => heard.push(version));
  store.set({ version: 7 });
  assert.ok(store.isWaiting());
  await new Promise((done) => setTimeout(done, 150));
  assert.deepEqual(heard, [7]);
  assert.ok(!store.isWaiting());
});

test("a typed name means the class of that name, then those that begin with it, then a new one", () => {
  const classes = ["category", "cat", "scatter", "Dog"].map((name, id) => ({ id, name }));
  const names = (typed) => state.classChoices(classes, typed).map((one) => (one.id === null ? `new ${one.name}` : one.name));
  assert.deepEqual(names("cat"), ["cat", "category", "scatter"]);
  assert.deepEqual(names("ca"), ["category", "cat", "new ca", "scatter"]);
  assert.deepEqual(names("at"), ["new at", "category", "cat", "scatter"]);
  assert.deepEqual(names("dog"), ["Dog", "new dog"]);
  assert.deepEqual(names("  "), []);
});
