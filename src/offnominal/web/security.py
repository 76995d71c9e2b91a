"""Checks of every request and websocket before the application sees it, and headers of every response."""

from __future__ import annotations

import hmac
import socket
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from offnominal.web.access import LOCAL_NAMES, Access

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'"
)
HEADERS = {
    "content-security-policy": f"{CONTENT_SECURITY_POLICY}; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
COMPUTED = ("/clips/", "/curves/", "/replay/")
"""Begins of the addresses of data that are computed on demand."""
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
REFUSED = 1008
"""Close code of a websocket: policy violation."""


class Guard:
    """Refuses requests that another web site or another machine could have caused, and those that are too large.

    Checked are the Host header (against DNS rebinding), the Origin of websockets and of requests that change something,
    and Sec-Fetch-Site of requests that read (against other web sites), the token, and sizes. A token in the address is
    stored as a cookie, and the client is sent to the same address without it; programs send it as
    ``Authorization: Bearer``.

    Args:
        app: The application.
        settings: Token, names and limits.
    """

    def __init__(self, app: ASGIApp, settings: Access) -> None:
        self.app = app
        self.settings = settings
        self.names = {*LOCAL_NAMES, settings.host, *settings.allowed_hosts}
        if not settings.is_local:
            self.names |= {socket.gethostname(), socket.getfqdn()}
        self.names = {name.lower() for name in self.names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        refusal = self.refusal(scope)
        if refusal is None:
            limited = self._limited(receive) if scope["type"] == "http" else receive
            await self.app(scope, limited, _with_headers(send))
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": REFUSED, "reason": bytes(refusal.body).decode()[:120]})
        else:
            await refusal(scope, receive, _with_headers(send))

    def refusal(self, scope: Scope) -> Response | None:
        """Return the answer to a request that is not passed on, or None."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_ours(host):
            return PlainTextResponse(
                f"This server is not called {host!r}. Start it with `--allow-host NAME` to allow a name.", 421
            )
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and not _same_origin(headers.get("origin"), host):
            return PlainTextResponse("Requests from other web sites are refused.", 403)
        if not changes and not _may_read(headers, scope["path"]):
            return PlainTextResponse("Other web sites may link to pages of this server, and load nothing from it.", 403)
        if len(scope["query_string"]) > self.settings.max_query:
            return PlainTextResponse("The address is too long.", 414)
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self.settings.max_body:
            return PlainTextResponse(self._too_large, 413)
        return self._without_token(scope, headers) if self.settings.token else None

    def _is_ours(self, host: str) -> bool:
        """Whether a Host header names this server. Attacks by DNS rebinding need a name, so that addresses are safe."""
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        return name in self.names or (not self.settings.is_local and _is_address(name))

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        cookie = f"offnominal-{self.settings.port}"
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and self._is_token(given.strip()):
            return None
        if self._is_token(_cookie(headers.get("cookie", ""), cookie)):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if any(name == "token" and self._is_token(value) for name, value in query):
            if scope["type"] == "websocket":
                return None
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            path = "/" + scope["path"].lstrip("/\\")
            answer = RedirectResponse(f"{path}?{rest}" if rest else path, 303)
            answer.set_cookie(cookie, self.settings.token, httponly=True, samesite="lax")
            return answer
        return PlainTextResponse("This server demands a token: open the address that it printed at its start.", 401)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.settings.token.encode())

    @property
    def _too_large(self) -> str:
        return f"A request may have {self.settings.max_body} bytes."

    def _limited(self, receive: Receive) -> Receive:
        """Return a function that receives the body, and raises an error where it is longer than it may be."""
        seen = 0

        async def limited() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self.settings.max_body:
                raise HTTPException(413, self._too_large)
            return message

        return limited


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return with_headers


def _same_origin(origin: str | None, host: str) -> bool:
    """Whether a request comes from a page of this server, or from a program that is no browser."""
    return origin is None or urlsplit(origin).netloc.lower() == host.lower()


def _may_read(headers: Headers, path: str) -> bool:
    """Whether a browser asks for its own page or its user; another site may only lead the user to a page or a file.

    Images, frames and scripts of other sites would make the server compute. Old browsers do not send this header; for
    them the token protects, whose cookie goes with no image, frame or script of another site.
    """
    if headers.get("sec-fetch-site", "none") in ("same-origin", "none"):
        return True
    leads = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == ("navigate", "document")
    return leads and not path.startswith(COMPUTED)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _cookie(header: str, name: str) -> str:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return "" if found is None else found.value
