"""Draw the studio's pictures for the docs, by driving its page in Chromium.

    python docs/draw_studio.py

writes docs/images/studio.webp (labels spread over digits), studio_map.png, studio_queue.png and
studio_phone.png. It needs the extras `studio`, `images` and `text`, and playwright with chromium.
"""

import io
import itertools
import shutil
import threading
import time
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright
from sklearn.datasets import load_digits

from diffresnet.studio.hosting import Host
from diffresnet.studio.opening import Source
from diffresnet.studio.serving import Place, serve

IMAGES = Path(__file__).parent / "images"
ARGUMENTS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
WIDE: ViewportSize = {"width": 1280, "height": 760}
FILM: ViewportSize = {"width": 1080, "height": 640}
PHONE: ViewportSize = {"width": 390, "height": 844}
N_ANSWERS = 16
N_FLOW = 26
READY = "d.phase === 'ready' && d.busy === 0 && d.queueVersion === d.version"
NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]

TOPICS = {
    "delivery": (
        "Where is my {thing}? It should have come {day}.",
        "The {thing} has not arrived yet, and the tracking page stopped {day}.",
        "Can you deliver the {thing} to another address?",
        "The driver left my {thing} with a neighbor {day}.",
    ),
    "refund": (
        "I would like my money back for the {thing}.",
        "When will the refund for the {thing} be on my account? You promised {day}.",
        "I returned the {thing} {day} and was not refunded yet.",
        "Please refund the shipping costs of the {thing}.",
    ),
    "payment": (
        "My card was declined when I paid for the {thing} {day}.",
        "I was charged twice for the {thing}.",
        "Can I pay for the {thing} by invoice?",
        "The payment page for the {thing} shows an error since {day}.",
    ),
    "damaged": (
        "The {thing} was broken when I opened the box {day}.",
        "There is a crack in the {thing}.",
        "The {thing} stopped working {day}.",
        "A part of the {thing} is missing.",
    ),
    "account": (
        "I forgot my password and cannot log in since {day}.",
        "How do I change the email address of my account? I ordered a {thing}.",
        "Please delete my account; I only bought a {thing}.",
        "The link to confirm my account does not work, I tried {day}.",
    ),
}
THINGS = [
    "lamp",
    "chair",
    "bicycle",
    "camera",
    "kettle",
    "backpack",
    "keyboard",
    "printer",
    "jacket",
    "guitar",
]
DAYS = ["yesterday", "last week", "on Monday", "this morning"]


def write_digits(path: Path) -> list[str]:
    """Write digits with pictures, and return their names."""
    features, truth = (np.asarray(each) for each in load_digits(return_X_y=True))
    pictures = [_enlarge(255 - 15.9 * one.reshape(8, 8)) for one in features]
    ids = np.array([f"digit {row}" for row in range(len(truth))])
    np.savez(path, features=features.astype(np.float32), images=np.array(pictures), ids=ids)
    return [NAMES[one] for one in truth]


def _enlarge(pixels: Any) -> Any:
    small = Image.fromarray(pixels.astype(np.uint8))
    return np.asarray(small.resize((48, 48), Image.Resampling.BICUBIC))


def write_texts(path: Path) -> list[str]:
    """Write messages of customers, made from patterns, and return their topics."""
    made: dict[str, str] = {}
    for topic, patterns in TOPICS.items():
        for pattern, thing, day in itertools.product(patterns, THINGS, DAYS):
            made[pattern.format(thing=thing, day=day)] = topic
    lines = sorted(made, key=hash_of)
    quoted = (f'message {row},"{text}"' for row, text in enumerate(lines))
    path.write_text("id,text\n" + "\n".join(quoted) + "\n")
    return [made[text] for text in lines]


def hash_of(text: str) -> int:
    """Return a number that shuffles, the same every time."""
    return sum(ord(letter) * 7919 ** (at % 5) for at, letter in enumerate(text)) % 10007


def start(source: Path) -> str:
    """Serve a studio until this process ends; return its address."""
    address: SimpleQueue[str] = SimpleQueue()
    given = Host(Source(source)), Place(), address.put
    threading.Thread(target=serve, args=given, daemon=True).start()
    return address.get()


def wait(page: Page, condition: str = READY) -> None:
    """Wait until what the page knows, `d`, fulfills a condition."""
    end = time.monotonic() + 300
    while not page.evaluate(f"globalThis.studio ? (d => {condition})(studio.debug()) : false"):
        if time.monotonic() > end:
            raise TimeoutError(condition)
        page.wait_for_timeout(40)


def answer(page: Page, truth: list[str]) -> None:
    """Answer the question that is on the page."""
    known = page.evaluate("studio.debug()")
    page.fill("#ask-class", truth[known["queue"][0]["row"]])
    page.press("#ask-class", "Enter")
    wait(page, f"d.version > {known['version']} && {READY}")


def settle(page: Page) -> None:
    """Wait until the map has come to rest."""
    places, before = "JSON.stringify(studio.screenOf(0))", ""
    while before != (now := page.evaluate(places)):
        before = now
        page.wait_for_timeout(1500)


def shot(page: Page) -> Image.Image:
    """Return what the page looks like."""
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def save(picture: Image.Image, name: str) -> None:
    """Write a picture."""
    picture.save(IMAGES / name, optimize=True)


def film(browser: Browser, address: str, truth: list[str]) -> None:
    """Answer questions, and watch labels flow: the animation, and the map in the middle of it."""
    page = browser.new_page(viewport=FILM)
    page.goto(address)
    wait(page)
    settle(page)
    frames, times = [shot(page)], [900]
    for _ in range(N_ANSWERS):
        answer(page, truth)
        page.wait_for_timeout(350)
        frames.append(shot(page))
        times.append(380)
    times[-1] = 1200
    page.focus("#map")
    strength = page.evaluate("studio.debug().strength")
    least, own = strength["least"], strength["value"]
    for at in range(N_FLOW + 1):
        value = least + (own - least) * (at / N_FLOW) ** 2
        page.evaluate(f"studio.tryStrength({value})")
        wait(page, "d.busy === 0 && d.trial !== null")
        page.wait_for_timeout(80)
        frames.append(shot(page))
        times.append(110)
    times[-1] = 500
    page.keyboard.press("Escape")
    page.wait_for_timeout(200)
    frames.append(shot(page))
    times.append(2600)
    options: dict[str, Any] = {"quality": 82, "method": 6, "minimize_size": True, "loop": 0}
    frames[0].save(
        IMAGES / "studio.webp", save_all=True, append_images=frames[1:], duration=times, **options
    )
    page.close()


def draw_map(browser: Browser, address: str, truth: list[str]) -> None:
    """Draw a lasso on the digits: what the graph thinks of it."""
    page = browser.new_page(viewport=WIDE)
    page.goto(address)
    wait(page)
    rows = [row for row, name in enumerate(truth) if name in ("eight", "one")]
    places = np.array([page.evaluate(f"studio.screenOf({row})") for row in rows[::8]])
    middle = np.median(places, axis=0)
    box = page.locator("#overlay").bounding_box() or {"x": 0, "y": 0}
    turns = np.linspace(0, 2 * np.pi, 40)
    wave = 120 + 12 * np.sin(3 * turns)
    corners = middle + np.stack([wave * np.cos(turns), wave * np.sin(turns)], axis=1)
    corners += [box["x"], box["y"]]
    page.mouse.move(*map(float, corners[0]))
    page.mouse.down()
    for x, y in corners:
        page.mouse.move(float(x), float(y))
    page.mouse.up()
    wait(page, "d.summary !== null && d.busy === 0")
    page.wait_for_timeout(1500)
    save(shot(page), "studio_map.png")
    page.close()


def draw_queue(browser: Browser, address: str, truth: list[str]) -> None:
    """Draw a question about a text."""
    page = browser.new_page(viewport=WIDE)
    page.goto(address)
    wait(page)
    settle(page)
    for _ in range(N_ANSWERS):
        answer(page, truth)
    page.wait_for_timeout(6000)  # the outlook is measured when answers rest
    page.focus("#map")
    page.keyboard.press("Shift+E")
    page.wait_for_timeout(1500)
    save(shot(page), "studio_queue.png")
    page.close()


def draw_phone(browser: Browser, address: str) -> None:
    """Draw the same on a phone at night."""
    context = browser.new_context(viewport=PHONE, color_scheme="dark", has_touch=True)
    page = context.new_page()
    page.goto(address)
    wait(page)
    page.wait_for_timeout(1500)
    save(shot(page), "studio_phone.png")
    context.close()


def main() -> None:
    """Draw all pictures."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        digits, texts = Path(folder) / "digits.npz", Path(folder) / "messages.csv"
        names, topics = write_digits(digits), write_texts(texts)
        address = start(digits)
        film(browser, address, names)
        draw_map(browser, address, names)
        draw_phone(browser, address)
        draw_queue(browser, start(texts), topics)
        browser.close()


if __name__ == "__main__":
    main()
