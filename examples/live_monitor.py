"""Record the clip of the live monitor in the guide: `python examples/live_monitor.py [docs/assets/live.webp]`.

A browser (playwright and Chromium) opens the page, injects a fault, clears it, and is filmed.
"""

from __future__ import annotations

import io
import shutil
import sys
import threading
import time
from pathlib import Path

import numpy as np
import uvicorn
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from offnominal.reports.clip_files import write_frames
from offnominal.web.app import make_app
from offnominal.web.listening import bound_socket
from offnominal.web.settings import Settings

SIZE = {"width": 1120, "height": 700}
FRAMES, PACE = 48, 6
INJECTED, CLEARED = 10, 30
"""Frames at which the fault is injected and cleared."""


def main() -> None:
    """Record the clip."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/assets/live.webp")
    settings = Settings(port=0)
    listener = bound_socket(settings)
    server = uvicorn.Server(uvicorn.Config(make_app(settings), log_level="warning", ws="websockets-sansio"))
    threading.Thread(target=server.run, args=([listener],), daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(f"http://127.0.0.1:{listener.getsockname()[1]}/live?world=MJC-HalfCheetah-v0&seed=1")
        frames = film(page)
        browser.close()
    server.should_exit = True
    write_frames(path, frames, PACE)


def film(page: Page) -> list[np.ndarray]:
    """Return images of a run with a fault."""
    page.click("#start")
    page.wait_for_selector("#run:not([hidden])", timeout=120_000)
    page.select_option("#anomaly", "observation/offset")
    page.evaluate("document.activeElement.blur(); document.getElementById('status').scrollIntoView()")
    time.sleep(2.0)
    frames = []
    for number in range(FRAMES):
        began = time.monotonic()
        if number in (INJECTED, CLEARED):
            page.keyboard.press("f" if number == INJECTED else "c")
        image = Image.open(io.BytesIO(page.screenshot()))
        frames.append(np.asarray(image.convert("RGB").resize((840, 525), Image.Resampling.LANCZOS)))
        time.sleep(max(0.0, 1 / PACE - (time.monotonic() - began)))
    return frames


if __name__ == "__main__":
    main()
