"""Make the images of the local server in the guide: `python examples/server_pages.py [docs/assets]`.

Runs the study of `offnominal quickstart` in a temporary folder; a browser (playwright and Chromium) opens three pages.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

import uvicorn
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from offnominal.studies import load_study, run
from offnominal.web.app import make_app
from offnominal.web.listening import bound_socket
from offnominal.web.settings import Settings

PAGES = {"leaderboard": ("runs/quickstart", 1000), "compare": ("compare/quickstart", 1000), "fault": ("", 1560)}
"""Address and height of each image; the list of faults has the address of a fault."""
FAULT = "action/noise"
WIDTH, QUALITY = 1200, 80


def main() -> None:
    """Make the images."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/assets")
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder) / "runs"
        run(load_study("quickstart"), folder=runs / "quickstart", store=Path(folder) / "store")
        settings = Settings(runs=runs, cache=Path(folder) / "cache", port=0)
        listener = bound_socket(settings)
        server = uvicorn.Server(uvicorn.Config(make_app(settings), log_level="warning", ws="websockets-sansio"))
        threading.Thread(target=server.run, args=([listener],), daemon=True).start()
        while not server.started:
            time.sleep(0.05)
        take(f"http://127.0.0.1:{listener.getsockname()[1]}", target)
        server.should_exit = True


def take(address: str, target: Path) -> None:
    """Write the images of the pages of a server into a folder."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(color_scheme="light")
        for name, (path, height) in PAGES.items():
            page.set_viewport_size({"width": WIDTH, "height": height})
            page.goto(f"{address}/{path or fault_path(page, address)}", wait_until="networkidle")
            if name == "fault":
                page.wait_for_selector("img.clip:not([hidden])", timeout=120_000)
                page.wait_for_selector("#curve svg", timeout=120_000)
                page.wait_for_selector("#curve-status:empty", state="attached", timeout=120_000)
            shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            shot.save(target / f"serve-{name}.webp", quality=QUALITY, method=6)
        browser.close()


def fault_path(page: Page, address: str) -> str:
    """Return the path of the page of a fault."""
    page.goto(f"{address}/faults/quickstart")
    return str(page.locator(".card h3 a", has_text=FAULT).first.get_attribute("href")).lstrip("/")


if __name__ == "__main__":
    main()
