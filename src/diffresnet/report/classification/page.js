"use strict";
// Moves the points between the two maps, names the point under the pointer, and shows one class
// alone. Text only ever goes in as text.
(() => {
  const DURATION = 900; // milliseconds
  const REACH = 18; // pixels from the pointer to a point that it means
  const data = JSON.parse(document.getElementById("data").textContent);
  const map = document.getElementById("map");
  const here = document.getElementById("here");
  const tip = document.getElementById("tip");
  const choices = document.querySelectorAll("#switch button");
  const kinds = document.querySelectorAll(".legend button");
  const movers = [...map.querySelectorAll("[data-point]")];
  let places = data.after;
  let frame = 0;
  let only = null;

  function put(next) {
    places = next;
    for (const mover of movers) {
      const [x, y] = places[Number(mover.dataset.point)];
      mover.setAttribute("transform", `translate(${x} ${y})`);
    }
  }

  function moveTo(target) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    cancelAnimationFrame(frame);
    hideTip();
    if (calm) {
      put(target);
      return;
    }
    const start = places;
    const begin = performance.now();
    const step = (now) => {
      const t = Math.min(Math.max((now - begin) / DURATION, 0), 1);
      const part = t * t * (3 - 2 * t);
      const between = (from, to) => from + (to - from) * part;
      put(t < 1 ? start.map(([x, y], i) => [between(x, target[i][0]), between(y, target[i][1])]) : target);
      if (t < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
  }

  function hideTip() {
    tip.hidden = true;
    here.setAttribute("visibility", "hidden");
  }

  function nearest(x, y, reach) {
    let best = -1;
    let least = reach * reach;
    places.forEach(([px, py], i) => {
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < least && (only === null || data.kinds[i] === only)) {
        best = i;
        least = distance;
      }
    });
    return best;
  }

  function point(event) {
    const matrix = map.getScreenCTM();
    const spot = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    const found = nearest(spot.x, spot.y, REACH / matrix.a);
    if (found < 0) {
      hideTip();
      return;
    }
    here.setAttribute("transform", `translate(${places[found][0]} ${places[found][1]})`);
    here.setAttribute("visibility", "visible");
    showTip(found, new DOMPoint(...places[found]).matrixTransform(matrix));
  }

  function showTip(found, spot) {
    tip.children[0].textContent = data.names[found];
    tip.children[1].textContent = data.answers[found];
    showPreview(data.previews[found]);
    tip.hidden = false;
    tip.style.left = "0";
    const box = tip.parentElement.getBoundingClientRect();
    const left = spot.x - box.left - tip.offsetWidth / 2;
    const above = spot.y - box.top - tip.offsetHeight - 14;
    tip.style.left = `${Math.min(Math.max(left, 0), box.width - tip.offsetWidth)}px`;
    tip.style.top = `${above >= 0 ? above : spot.y - box.top + 16}px`;
  }

  function showPreview(preview) {
    tip.children[2]?.remove();
    if (!preview) return;
    const seen = document.createElement(preview.picture ? "img" : "q");
    if (preview.picture) {
      seen.alt = "";
      seen.src = `data:image/jpeg;base64,${preview.picture}`;
    } else {
      seen.textContent = preview.text;
    }
    tip.append(seen);
  }

  function showOnly(kind) {
    only = only === kind ? null : kind;
    hideTip();
    for (const button of kinds) button.setAttribute("aria-pressed", String(button.dataset.kind === only));
    for (const mover of movers) {
      const away = only !== null && data.kinds[Number(mover.dataset.point)] !== only;
      mover.classList.toggle("away", away);
    }
  }

  map.addEventListener("pointermove", point);
  map.addEventListener("pointerdown", point);
  map.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") hideTip();
  });
  for (const button of kinds) button.addEventListener("click", () => showOnly(button.dataset.kind));
  for (const choice of choices) {
    choice.addEventListener("click", () => {
      for (const other of choices) other.setAttribute("aria-pressed", String(other === choice));
      map.setAttribute("aria-label", map.getAttribute("aria-label").replace(/before|after/, choice.dataset.show));
      moveTo(data[choice.dataset.show]);
    });
  }
  const group = document.getElementById("switch");
  if (group) group.hidden = false;
})();
