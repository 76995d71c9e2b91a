"""What other web sites, other machines and malicious text cannot do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from offnominal.core.errors import InvalidParameter
from offnominal.web.security import Guard
from offnominal.web.settings import Settings

pytestmark = pytest.mark.long

TOKEN = "a secret"


async def size(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


async def greet(socket) -> None:
    await socket.accept()
    await socket.send_text("hello")
    await socket.close()


def guarded(settings=None):
    routes = [Route("/", size, methods=["GET", "POST"]), WebSocketRoute("/socket", greet)]
    app = Starlette(routes=routes, middleware=[Middleware(Guard, settings=settings or Settings())])
    return TestClient(app, base_url="http://localhost:8000", follow_redirects=False)


def test_every_answer_forbids_foreign_scripts_frames_referrers_and_guessed_types(client):
    for path in ("/", "/static/page.js", "/no-such-page"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "192.168.0.7", "[", ""])
def test_a_local_server_answers_to_no_other_name(host):
    assert guarded().get("/", headers={"host": host}).status_code == 421


def test_an_allowed_name_and_an_address_reach_an_open_server_and_a_foreign_name_does_not():
    settings = Settings(host="0.0.0.0", token=TOKEN, allowed_hosts=("lab.example",))
    client = guarded(settings)
    statuses = [
        client.get("/", headers={"host": host}).status_code for host in ("lab.example:8000", "10.0.0.7", "evil.example")
    ]
    assert statuses == [401, 401, 421]


def test_other_web_sites_cannot_open_a_websocket_or_change_anything():
    client = guarded()
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect("/socket", headers={"origin": "http://evil.example"}),
    ):
        pass
    assert client.post("/", headers={"origin": "http://evil.example"}).status_code == 403
    assert client.post("/", headers={"origin": "null"}).status_code == 403


COMPUTED = ["/curves/x.json", "/clips/small/x/strong.webp", "/replay/data", "/replay/left/0.webp"]


def fetched(site, mode, dest):
    return {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}


@pytest.mark.parametrize("site", ["cross-site", "same-site", "unknown"])
def test_other_web_sites_cannot_make_the_server_compute(client, site):
    for path in ("/", "/runs/small", *COMPUTED):
        for mode, dest in (("no-cors", "image"), ("no-cors", "empty"), ("no-cors", "script"), ("navigate", "iframe")):
            assert client.get(path, headers=fetched(site, mode, dest)).status_code == 403
    for path in COMPUTED:
        assert client.get(path, headers=fetched(site, "navigate", "document")).status_code == 403


def test_other_web_sites_may_link_to_pages_and_files(client):
    for path in ("/", "/runs/small", "/runs/small/manifest.json", "/live"):
        assert client.get(path, headers=fetched("cross-site", "navigate", "document")).status_code == 200


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_own_pages_and_the_user_may_load_everything(client, site):
    for path in ("/", "/static/page.js"):
        assert client.get(path, headers=fetched(site, "cors", "empty")).status_code == 200
    assert client.get("/curves/x.json", headers=fetched(site, "cors", "empty")).status_code == 404


@pytest.mark.parametrize("headers", [{}, {"origin": "http://localhost:8000"}])
def test_own_pages_and_programs_can_open_a_websocket(headers):
    with guarded().websocket_connect("/socket", headers={"host": "localhost:8000"} | headers) as socket:
        assert socket.receive_text() == "hello"


def test_a_server_that_others_can_reach_demands_a_token():
    with pytest.raises(InvalidParameter, match="give a token"):
        Settings(host="0.0.0.0")


def test_the_token_in_the_address_becomes_a_cookie_that_scripts_cannot_read():
    client = guarded(Settings(token=TOKEN))
    assert client.get("/").status_code == 401
    assert client.get("/?token=wrong").status_code == 401
    answer = client.get("/", params={"token": TOKEN, "metric": "auroc"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/?metric=auroc")
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert client.get("/").status_code == 200


def test_a_websocket_without_the_token_is_refused():
    client = guarded(Settings(token=TOKEN))
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/socket", headers={"host": "localhost:8000"}):
        pass


def test_the_redirect_to_the_address_without_the_token_stays_here():
    scope = {
        "type": "http",
        "method": "GET",
        "path": "//evil.example/",
        "query_string": b"token=secret",
        "headers": [(b"host", b"localhost")],
    }
    answer = Guard(guarded().app, Settings(token="secret")).refusal(scope)
    assert answer.headers["location"] == "/evil.example/"


def test_large_requests_are_refused_with_and_without_a_stated_length():
    client = guarded(Settings(max_body=100))
    assert client.post("/", content=b"x" * 100).text == "100"
    assert client.post("/", content=b"x" * 101).status_code == 413
    assert client.post("/", content=iter([b"x" * 60, b"x" * 60])).status_code == 413
    assert guarded().get("/?" + "x" * 5000).status_code == 414


@pytest.mark.parametrize(
    "path",
    [
        "/static/..%2fapp.py",
        "/static/..%5capp.py",
        "/runs/%2e%2e%2fsmall",
        "/runs/..%2f..%2fetc",
        "/runs/small/tables/..%2frun.csv",
        "/cells/..%2f..%2frun.json",
        "/curves/..%2f..%2fstore.json",
        "/clips/small/..%2f..%2fx/strong.webp",
    ],
)
def test_no_address_leaves_the_folders(client, path):
    assert client.get(path).status_code == 404


def test_markup_in_titles_and_names_is_text_on_every_page(client, small_runs):
    key = client.get("/runs/small/manifest.json").json()["keys"][1]
    fault = client.get("/faults/small").text.partition('href="/faults/small/')[2].partition('"')[0]
    for path in ("/", "/runs/small", "/compare/small", "/faults/small", f"/faults/small/{fault}", f"/cells/{key}"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text
        assert "<b onmouseover" not in answer.text
        assert "<i>best" not in answer.text


def test_a_report_runs_apart_from_the_server(client, small_runs):
    (small_runs / "small" / "page.html").write_text("<script>1</script>")
    policy = client.get("/runs/small/report").headers["content-security-policy"]
    (small_runs / "small" / "page.html").unlink()
    assert "sandbox allow-scripts" in policy
    assert "allow-same-origin" not in policy
    assert "connect-src" not in policy


def test_a_copy_of_the_settings_is_checked_too():
    with pytest.raises(InvalidParameter):
        replace(Settings(host="0.0.0.0", token=TOKEN), token="")
