"""A real browser watches a live run and a replay, by keyboard, at all sizes and without accessibility findings."""

from __future__ import annotations

import threading
import time

import pytest

pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytestmark = pytest.mark.long

VIEWS = {
    "desktop": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"},
}
"""No width hides an element and no width has colours of its own: two looks are all widths and all colours."""
LIVE = "live?world=SAP-Goal0-v0&detectors=KNN,HBOS&seed=3"
REPLAY = "replay?world=SAP-Goal0-v0&detectors=KNN,HBOS&seed=3&fault=observation/offset&strength=2.0&onset=4"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    import uvicorn

    from offnominal.web.app import make_app
    from offnominal.web.listening import bound_socket
    from offnominal.web.live_session import LiveRuns
    from offnominal.web.replay import Replays
    from offnominal.web.settings import Settings

    fits, settings = tmp_path_factory.mktemp("fits"), Settings(runs=tmp_path_factory.mktemp("runs"), port=0)
    app = make_app(settings)
    app.state.live_runs, app.state.replays = LiveRuns(8, folder=fits, grace=2.0), Replays(fits)
    listener = bound_socket(settings)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", ws="websockets-sansio"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/", app
    server.should_exit = True
    thread.join(20)


@pytest.fixture(params=VIEWS)
def page(browser, request):
    """A new page; whatever it complains about fails the test."""
    opened = browser.new_page(**VIEWS[request.param])
    complaints = []
    opened.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    yield opened
    opened.close()
    assert not complaints


def serious(page):
    """Return the serious and critical findings of axe."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")]


def start(page, address):
    page.goto(address[0] + LIVE)
    page.locator("#start").press("Enter")
    page.wait_for_selector("#run:not([hidden])", timeout=120_000)
    wait_until(page, "document.getElementById('step').textContent !== '–'")
    page.evaluate("document.activeElement.blur()")


def wait_until(page, expression, seconds=60):
    """Wait until an expression is true; the policy of the pages forbids to evaluate text inside them."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(expression)


def fits_the_width(page):
    return page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_a_fault_is_injected_and_cleared_by_keyboard(page, address):
    page.goto(address[0] + LIVE)
    assert serious(page) == []
    start(page, address)
    page.select_option("#anomaly", "observation/offset")
    page.locator("#strength").press("End")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("f")
    page.wait_for_selector("#running-faults li")
    page.wait_for_selector("#log tr")
    page.wait_for_selector("#evidence li")
    assert "observation/offset" in page.inner_text("#log tr")
    assert serious(page) == []
    assert fits_the_width(page)
    page.keyboard.press("c")
    page.wait_for_selector("#running-faults li", state="detached")


def inject(page, strength="End"):
    """Inject an offset by keyboard."""
    page.select_option("#anomaly", "observation/offset")
    page.locator("#strength").press(strength)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("f")
    page.wait_for_selector("#running-faults li")


def test_a_reload_and_a_shared_link_show_the_fault_its_alarms_and_clear_it(browser, address, monkeypatch):
    monkeypatch.setattr(address[1].state.live_runs, "grace", 60.0)
    page = browser.new_page(**VIEWS["desktop"])
    start(page, address)
    inject(page)
    page.wait_for_selector("#log tr")
    page.reload()
    page.wait_for_selector("#running-faults li")
    page.wait_for_selector("#log tr")
    page.wait_for_selector("#evidence li")
    assert "observation/offset" in page.inner_text("#running-faults")
    assert "observation/offset" in page.inner_text("#log tr")
    other = browser.new_page(**VIEWS["desktop"])
    other.goto(page.url)
    other.wait_for_selector("#running-faults li")
    assert other.is_enabled("#clear")
    other.click("#clear")
    page.wait_for_selector("#running-faults li", state="detached")
    assert not page.is_enabled("#clear")
    other.close()
    page.close()


def test_a_held_key_injects_once_and_shift_does_not_matter(browser, address):
    page = browser.new_page(**VIEWS["desktop"])
    start(page, address)
    page.select_option("#anomaly", "observation/offset")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Shift+F")
    page.wait_for_selector("#running-faults li")
    for _ in range(3):
        page.keyboard.down("f")  # Repeated "down" is what a held key sends.
    page.wait_for_selector("#running-faults li:nth-child(2)")
    before = page.inner_text("#step")
    wait_until(page, f"Number(document.getElementById('step').textContent) !== {before}")
    page.wait_for_timeout(300)
    assert page.locator("#running-faults li").count() == 2
    page.keyboard.press("Shift+C")
    page.wait_for_selector("#running-faults li", state="detached")
    page.close()


def test_without_the_server_nothing_looks_present(browser, address, monkeypatch):
    monkeypatch.setattr(address[1].state.live_runs, "grace", 60.0)
    page = browser.new_page(**VIEWS["desktop"])
    page.add_init_script("""
      window.sockets = [];
      window.gone = false;
      const Real = window.WebSocket;
      window.WebSocket = class extends Real {
        constructor(address) { super(window.gone ? `${address}-gone` : address); window.sockets.push(this); }
      };""")
    start(page, address)
    inject(page)
    page.wait_for_selector("#log tr")
    page.evaluate("window.gone = true; window.sockets.at(-1).close()")
    wait_until(page, "document.getElementById('badge').textContent === 'no connection'")
    assert page.locator("#running-faults li").count() == 0
    assert page.locator("#log tr").count() > 0, "alarms of the past stay"
    assert not page.is_enabled("#inject")
    assert not page.is_enabled("#clear")
    assert float(page.evaluate("getComputedStyle(document.getElementById('world-image')).opacity")) < 0.5
    page.evaluate("window.gone = false")
    page.wait_for_selector("#running-faults li")
    wait_until(page, "document.getElementById('badge').textContent !== 'no connection'")
    assert page.locator("#running-faults li").count() == 1
    assert page.is_enabled("#inject")
    assert page.is_enabled("#clear")
    page.close()


@pytest.mark.parametrize("page", ["desktop"], indirect=True)
def test_space_pauses_and_resumes(page, address):
    start(page, address)
    page.keyboard.press(" ")
    page.wait_for_selector("#pause[aria-pressed=true]")
    page.wait_for_timeout(300)  # A step that was already computed is still shown.
    before = page.evaluate("document.getElementById('step').textContent")
    page.wait_for_timeout(300)
    assert page.evaluate("document.getElementById('step').textContent") == before
    page.keyboard.press(" ")
    page.wait_for_selector("#pause[aria-pressed=false]")


def test_image_of_the_world_is_drawn_and_a_closed_page_ends_the_run(browser, address):
    page = browser.new_page(**VIEWS["desktop"])
    start(page, address)
    colours = """() => {
      const canvas = document.getElementById("world-image");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return new Set(data).size;
    }"""
    wait_until(page, f"({colours})() > 8")
    run = page.evaluate("new URLSearchParams(location.search).get('run')")
    sessions = address[1].state.live_runs.sessions
    assert run in sessions
    page.close()
    for _ in range(200):
        if run not in sessions:
            break
        time.sleep(0.05)
    assert run not in sessions


def test_a_lost_connection_is_made_again_and_the_end_of_a_run_is_told(browser, address, monkeypatch):
    # On a busy machine a new connection takes longer than runs go on without clients here.
    monkeypatch.setattr(address[1].state.live_runs, "grace", 60.0)
    page = browser.new_page(**VIEWS["desktop"])
    page.add_init_script("""
      window.sockets = [];
      window.WebSocket = class extends WebSocket {
        constructor(...given) { super(...given); window.sockets.push(this); }
      };""")
    start(page, address)
    run = page.evaluate("new URLSearchParams(location.search).get('run')")
    page.evaluate("window.sockets.at(-1).close()")
    wait_until(page, "window.sockets.length === 2 && window.sockets[1].readyState === 1", 20)
    before = page.inner_text("#step")
    wait_until(page, f"document.getElementById('step').textContent !== '{before}'", 20)
    assert page.evaluate("new URLSearchParams(location.search).get('run')") == run
    address[1].state.live_runs.sessions[run].stop()
    wait_until(page, "document.getElementById('status').textContent.includes('ended')", 20)
    assert page.is_visible("#setup")
    page.close()


def test_reduced_motion_draws_rarely(browser, address):
    page = browser.new_page(**VIEWS["desktop"], reduced_motion="reduce")
    start(page, address)
    counted = """() => new Promise((resolve) => {
      let count = 0;
      const original = CanvasRenderingContext2D.prototype.clearRect;
      CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        count += this.canvas.id === "scores";
        return original.apply(this, box);
      };
      setTimeout(() => resolve(count), 2000);
    })"""
    assert page.evaluate(counted) <= 6
    page.close()


def test_replay_is_played_by_keyboard(page, address):
    page.goto(address[0] + REPLAY)
    page.wait_for_selector("#run:not([hidden])", timeout=120_000)
    assert page.inner_text("#step") == "4"
    assert page.inner_text("#state") == "on"
    page.keyboard.press("ArrowLeft")
    assert (page.inner_text("#step"), page.inner_text("#state")) == ("3", "off")
    page.keyboard.press("End")
    last = int(page.inner_text("#step"))
    page.keyboard.press("Home")
    assert page.inner_text("#step") == "0"
    page.keyboard.press("End")
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    assert page.inner_text("#step") == str(last - 5)
    page.keyboard.press(" ")
    wait_until(page, f"document.getElementById('step').textContent === '{last}'")
    assert page.inner_text("#play") == "Play"
    assert serious(page) == []
    assert fits_the_width(page)


def test_a_replay_is_chosen_in_the_form(browser, address):
    page = browser.new_page(**VIEWS["desktop"])
    page.goto(address[0] + "replay")
    page.wait_for_selector("#anomaly option", state="attached")
    page.select_option("#world", "SAP-Goal0-v0")
    page.wait_for_selector("#anomaly option[value='dynamics/moving_objects']", state="attached")
    page.select_option("#anomaly", "action/offset")
    assert serious(page) == []
    page.click("#start")
    page.wait_for_selector("#run:not([hidden])", timeout=120_000)
    assert "action/offset" in page.inner_text("#headline")
    page.goto(address[0] + "replay?world=SAP-Goal0-v0&fault=none/none")
    page.wait_for_selector("#status.bad")
    assert "no anomaly" in page.inner_text("#status")
    page.close()
