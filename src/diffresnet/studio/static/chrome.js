// The frame around the map: header, tabs, status, opening and failing, light and dark, phone.

import { byId, el, toMap } from "./dom.js";
import { COMMANDS, whereIs } from "./keys.js";
import { count, sentence } from "./words.js";
import { exportFile, find, importFile, redo, undo } from "./actions.js";
import { redraw, showAll, zoomBy } from "./map.js";
import { now, set, watch, watchLater } from "./store.js";
import { openDialog, openMenu } from "./menus.js";
import { target } from "./state.js";

const TABS = ["ask", "selection", "check", "classes", "progress"];
const narrow = matchMedia("(max-width: 960px)");
const dark = matchMedia("(prefers-color-scheme: dark)");

export function startChrome() {
  const on = (id, action) => byId(id).addEventListener("click", action);
  on("undo", undo);
  on("redo", redo);
  on("fit", showAll);
  on("zoom-in", () => zoomBy(1.6));
  on("zoom-out", () => zoomBy(1 / 1.6));
  on("tool-lasso", () => set({ tool: "lasso" }));
  on("tool-pan", () => set({ tool: "pan" }));
  on("theme", toggleTheme);
  on("help", openHelp);
  on("export", openExport);
  on("dismiss", () => set({ error: null }));
  on("sheet-handle", () => setSheet(document.body.dataset.sheet === "half" ? "full" : "half"));
  byId("import-file").addEventListener("change", (event) => {
    const [file] = event.target.files;
    if (file) importFile(file);
    event.target.value = "";
  });
  startSearch();
  startTabs();
  startTheme();
  arrange();
  narrow.addEventListener("change", arrange);
  watchLater(["project"], drawHeader);
  watch(["phase", "project"], drawStage);
  watchLater(["said", "busy", "online", "version", "phase"], drawStatus);
  watch(["error"], ({ error }) => { byId("alert").hidden = !error; byId("alert-text").textContent = error ?? ""; });
  watch(["tool"], ({ tool }) => {
    byId("tool-lasso").setAttribute("aria-pressed", String(tool === "lasso"));
    byId("tool-pan").setAttribute("aria-pressed", String(tool === "pan"));
    byId("map").dataset.tool = tool;
  });
  for (const id of ["panels", "left"]) byId(id).addEventListener("click", giveBack);
  watchLater(["selection", "queue", "tab", "cursor", "phase"], drawTarget);
  for (const kind of ["focusin", "focusout", "input"]) addEventListener(kind, () => setTimeout(() => drawTarget(now())));
}

/** After a click (not a key) on an answer, keys go to the map again, so that Enter accepts. */
function giveBack(event) {
  const isAnswer = event.target.closest(".class-button, .accept, .quiet, .class-row, .tile");
  if (event.detail > 0 && isAnswer && !byId("dialog").open) toMap();
}

function drawHeader({ project }) {
  byId("title").textContent = project.title;
  document.title = `${project.title} – studio`;
  byId("size").textContent = count(project.n_points, { photos: "photo", texts: "text" }[project.kind] ?? "point");
  for (const [id, text, keys] of [["undo", project.undo, "Ctrl+Z"], ["redo", project.redo, "Ctrl+Shift+Z"]]) {
    const name = id === "undo" ? "Undo" : "Redo";
    const button = byId(id);
    button.setAttribute("aria-disabled", String(!text));
    const words = text ? `${name}: ${text} (${keys})` : `Nothing to ${id}`;
    button.title = words;
    button.setAttribute("aria-label", words);
  }
}

const STAGES = {
  connecting: ["Connecting", "Talking to the studio on this computer."],
  locked: ["This page is locked", "Open the address that the command printed: it ends with a token. It is valid until the command ends."],
  opening: ["Opening", "Getting ready."],
  failed: ["It did not open", ""],
  blind: ["This browser cannot draw the map", "The studio needs WebGL2. Turn on hardware acceleration in the browser's settings, or use a current Firefox, Chrome, Edge or Safari."],
};

function drawStage({ phase, project }) {
  document.body.dataset.phase = phase;
  byId("opening").hidden = phase === "ready";
  const texts = STAGES[phase];
  if (!texts) return;
  byId("opening-title").textContent = phase === "opening" && project ? `Opening ${project.title}` : texts[0];
  byId("opening-text").textContent = (phase === "failed" ? project?.error : phase === "opening" && project?.doing ? sentence(project.doing) : null) ?? texts[1];
  const bar = byId("opening-bar");
  bar.hidden = phase !== "opening" && phase !== "connecting";
  if (phase === "opening" && project?.done !== null && project?.done !== undefined) bar.value = project.done;
  else bar.removeAttribute("value");
}

let speaking = 0;
function drawStatus(state) {
  const status = byId("said");
  const text = sentence(state.said);
  if (status.textContent !== text) {
    clearTimeout(speaking);
    speaking = setTimeout(() => { status.textContent = text; }, 60);
  }
  byId("saved").textContent = !state.online ? "Not connected, trying again" : state.busy ? "Working…" : state.phase === "ready" ? "All saved" : "";
  byId("saved").dataset.state = !state.online ? "lost" : state.busy ? "busy" : "saved";
}

const TYPING = { text: "Typing: Esc for keys", name: "Digits answer, letters name a class" };
function drawTarget(state) {
  const aim = state.phase === "ready" ? target(state) : null;
  const words = { selection: (n) => `Keys label ${count(n, "selected point")}`, question: () => "Keys answer the question", cursor: () => "Keys label the point at the cursor" };
  const place = whereIs(document.activeElement);
  byId("target").textContent = aim ? TYPING[place] ?? words[aim.kind](aim.n) : "";
  byId("tab-selection-count").textContent = state.selection.rows.length ? state.selection.rows.length.toLocaleString("en-US") : "";
}

function startTabs() {
  for (const tab of TABS) {
    byId(`tab-${tab}`).addEventListener("click", () => { set({ tab }); setSheet(document.body.dataset.sheet === "low" ? "half" : document.body.dataset.sheet); });
  }
  byId("tabs").addEventListener("keydown", (event) => {
    const shown = TABS.filter((tab) => !byId(`tab-${tab}`).hidden);
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const next = shown[(shown.indexOf(now().tab) + way + shown.length) % shown.length];
    set({ tab: next });
    byId(`tab-${next}`).focus();
  });
  watch(["tab"], drawTabs);
}

function drawTabs({ tab }) {
  for (const each of TABS) {
    byId(`tab-${each}`).setAttribute("aria-selected", String(each === tab));
    byId(`tab-${each}`).tabIndex = each === tab ? 0 : -1;
    byId(`panel-${each}`).hidden = each !== tab && (narrow.matches || !["classes", "progress"].includes(each));
  }
}

/** On a phone, all panels are tabs of one sheet; else classes and progress have a side of their own. */
function arrange() {
  const home = narrow.matches ? byId("panels") : byId("left");
  home.append(byId("panel-classes"), byId("panel-progress"));
  (narrow.matches ? byId("panel-progress") : byId("view-bar")).append(byId("map-choice"), byId("spread"));
  for (const tab of ["classes", "progress"]) byId(`tab-${tab}`).hidden = !narrow.matches;
  if (!narrow.matches && ["classes", "progress"].includes(now().tab)) set({ tab: "ask" });
  drawTabs(now());
  setSheet("half");
}

export function setSheet(height) {
  document.body.dataset.sheet = height;
  byId("sheet-handle").setAttribute("aria-expanded", String(height === "full"));
}

function startSearch() {
  const field = byId("search");
  byId("search-form").addEventListener("submit", (event) => { event.preventDefault(); find(field.value); toMap(); });
  watch(["search"], ({ search }) => { byId("search-count").textContent = search.n === null ? "" : search.n.toLocaleString("en-US"); });
}

function startTheme() {
  const follow = () => set({ theme: localStorage.getItem("diffresnet-theme") ?? (dark.matches ? "dark" : "light") });
  watch(["theme"], ({ theme }) => { document.documentElement.dataset.theme = theme; redraw(); });
  dark.addEventListener("change", follow);
  document.documentElement.dataset.theme = now().theme;
  follow();
}

export function toggleTheme() {
  const theme = now().theme === "dark" ? "light" : "dark";
  localStorage.setItem("diffresnet-theme", theme);
  set({ theme });
}

const EXPORTS = {
  "labels.csv": "your labels", "predictions.csv": "a label and a probability for every point",
  "predictions.parquet": "the same, for large sets", "model.npz": "the fitted model", "report.html": "a page to share",
  "label_studio.json": "for Label Studio",
};

export function openExport() {
  const names = now().project?.exports ?? [];
  openMenu(byId("export"), "Export and import", [
    ...names.map((name) => ({ text: name, note: EXPORTS[name] ?? "", action: () => exportFile(name) })),
    null,
    { text: "Import labels…", note: "labels.csv or Label Studio JSON", action: () => byId("import-file").click() },
    ...(narrow.matches ? [null, { text: "Light or dark", action: toggleTheme }, { text: "Keys and help", action: openHelp }] : []),
  ]);
}

export function openHelp() {
  const groups = [...new Set(COMMANDS.map(([group]) => group))];
  const content = groups.map((group) => el("section", { class: "keys" }, el("h3", { text: group }),
    el("dl", {}, ...COMMANDS.filter(([each]) => each === group).map(([, key, , what]) => el("div", {}, el("dt", {}, el("kbd", { text: key })), el("dd", { text: what }))))));
  openDialog("Keys", [el("div", { class: "key-groups" }, ...content)], [{ text: "Close", primary: true }], { wide: true });
}
