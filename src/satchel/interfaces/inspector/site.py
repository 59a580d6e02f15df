"""The inspector's pages as an ASGI app: sessions, forms, and the headers of every answer."""

import secrets
from collections.abc import Callable
from contextlib import AbstractContextManager
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest, NotFound, Refused, SatchelError
from satchel.interfaces.failures import http_status
from satchel.interfaces.http.answers import RequestRejected
from satchel.interfaces.http.body import read_form_body
from satchel.interfaces.http.hosts import REACHED, Reached
from satchel.interfaces.inspector.imports import BrowserImports
from satchel.interfaces.inspector.navigation import (
    ASSETS_PATH,
    COOKIE_PREFIX,
    END_PATH,
    IMPORT_PATH,
    OPEN_PATH,
    UPLOAD_PATH,
)
from satchel.interfaces.inspector.pages import ROUTES, PageRoute
from satchel.interfaces.inspector.rendering import render
from satchel.interfaces.inspector.sessions import IDLE_SECONDS, BrowserSession, BrowserSessions
from satchel.interfaces.inspector.uploading import receive_upload
from satchel.interfaces.inspector.visit import Ask, Page, Redirect, Visit

FORM_TOKEN = "form_token"
FORM_TOKEN_HEADER = "satchel-form-token"
ASSETS = {"inspector.css": "text/css", "inspector.js": "text/javascript", "icon.svg": "image/svg+xml"}
_MAX_FIELDS = 100
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    # With no-referrer, a browser would send the forms of these pages with "Origin: null".
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
    "connection": "close",
}


def make_site(
    ask_for: Callable[[BrowserSession], Ask | None],
    imports: BrowserImports,
    sessions: BrowserSessions,
    now: Callable[[], int],
    in_use: Callable[[], AbstractContextManager[None]],
) -> ASGIApp:
    """Return the app. Host and Origin are already checked, the session is not.

    `ask_for` returns how a session performs operations; None if who opened it may not do so any more.
    """

    def endpoint(route: PageRoute) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            session = _session(request, sessions)
            ask = None if session is None else ask_for(session)
            if session is None or ask is None:
                sessions.end(_session_id(request))
                return _no_session(request, now())
            if route.path.startswith(IMPORT_PATH):
                _check_local(session)
            form = await _form(request, session) if route.method == "POST" else {}
            query = {name: value for name, value in request.query_params.items() if value.strip()}
            visit = Visit(ask, imports, now(), _clean(query), _clean(request.path_params), form)
            try:
                with in_use():
                    shown = await route.answer(visit)
            except SatchelError as error:
                return _failed(request, session, error, visit.now)
            if isinstance(shown, Redirect):
                return Response(None, 303, {**_HEADERS, "location": shown.path})
            return _page(request, session, shown, visit.now)

        return answer

    async def open_session(request: Request) -> Response:
        id = sessions.begin(request.query_params.get("token", ""))
        if id is None:
            return _no_session(request, now(), used=True)
        response = Response(None, 303, {**_HEADERS, "location": "/"})
        response.set_cookie(
            _cookie_name(request),
            id,
            max_age=int(IDLE_SECONDS),
            path="/",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )
        return response

    async def upload(request: Request) -> Response:
        session = _session(request, sessions)
        if session is None or ask_for(session) is None:
            return _no_session(request, now())
        _check_local(session)
        _check_origin(request)
        _check_form_token(session, request.headers.get(FORM_TOKEN_HEADER, ""))
        with in_use():
            path = await receive_upload(request, imports)
        return Response(None, 201, {**_HEADERS, "location": path})

    async def end_session(request: Request) -> Response:
        session = _session(request, sessions)
        if session is not None:
            await _form(request, session)
            sessions.end(_session_id(request))
        return _no_session(request, now())

    async def not_served(request: Request, error: Exception) -> Response:
        session = _session(request, sessions)
        if session is None:
            return _no_session(request, now())
        return _failed(request, session, NotFound("there is no such page", code="no_route"), now())

    async def rejected(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestRejected), "registered for nothing else"
        session = _session(request, sessions)
        return _failed(request, session, error.error, now(), error.status)

    pages = [Route(one.path, endpoint(one), methods=[one.method]) for one in ROUTES]
    app = Starlette(
        routes=[
            Route(OPEN_PATH, open_session, methods=["GET"]),
            Route(END_PATH, end_session, methods=["POST"]),
            Route(UPLOAD_PATH, upload, methods=["POST"]),
            Route(f"{ASSETS_PATH}/{{name}}", _asset, methods=["GET"]),
            *pages,
        ],
        exception_handlers={HTTPException: not_served, RequestRejected: rejected},
    )
    app.router.redirect_slashes = False
    return app


def _session(request: Request, sessions: BrowserSessions) -> BrowserSession | None:
    return sessions.find(_session_id(request))


def _session_id(request: Request) -> str:
    return request.cookies.get(_cookie_name(request), "")


def _cookie_name(request: Request) -> str:
    # Cookies are the same for every port of a host, and every store's server has one of its own.
    return f"{COOKIE_PREFIX}{(request.scope['server'] or ('', 0))[1] or 0}"


async def _form(request: Request, session: BrowserSession) -> dict[str, str]:
    _check_origin(request)
    body = await read_form_body(request)
    try:
        pairs = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            max_num_fields=_MAX_FIELDS,
            errors="strict",
            strict_parsing=True,
        )
    except ValueError:
        raise RequestRejected(400, InvalidRequest("the form cannot be read", code="bad_form")) from None
    form = dict(pairs)
    _check_form_token(session, form.pop(FORM_TOKEN, ""))
    # Browsers send line breaks of text fields as CR LF.
    return _clean({name: value.replace("\r\n", "\n") for name, value in form.items()})


def _check_local(session: BrowserSession) -> None:
    # An import reads files of this machine, and what it brings in may be trusted.
    if session.sender:
        hint = "use 'satchel import' on the machine of the server"
        raise RequestRejected(403, Refused("only the local operator may import here", code="operator_only", hint=hint))


def _check_origin(request: Request) -> None:
    # The origin was compared with our own; but it must be there.
    if len(request.headers.getlist("origin")) != 1:
        raise RequestRejected(403, Refused("the form came from another site", code="bad_origin"))


def _check_form_token(session: BrowserSession, token: str) -> None:
    if not secrets.compare_digest(token.encode(), session.form_token.encode()):
        hint = "open the page again and repeat it"
        raise RequestRejected(403, Refused("the form is not from this session", code="bad_form_token", hint=hint))


def _clean(values: dict[str, str]) -> dict[str, str]:
    return {name: replace_undecodable(value) for name, value in values.items()}


def _page(request: Request, session: BrowserSession, shown: Page, now: int) -> Response:
    html = render(
        shown.template,
        path=request.url.path,
        form_token=session.form_token,
        now=now,
        is_local=_is_local(request),
        view=shown.view,
    )
    return _html(html, shown.status)


def _failed(
    request: Request, session: BrowserSession | None, error: SatchelError, now: int, status: int | None = None
) -> Response:
    token = session.form_token if session else ""
    html = render(
        "error.html",
        path=request.url.path,
        form_token=token,
        now=now,
        is_local=_is_local(request),
        error=error,
        entered=bool(session),
    )
    return _html(html, status or http_status(error))


def _no_session(request: Request, now: int, *, used: bool = False) -> Response:
    return _html(render("enter.html", path="", form_token="", now=now, is_local=_is_local(request), used=used), 401)


def _is_local(request: Request) -> bool:
    reached: Reached = request.scope[REACHED]
    return not reached.by_network


def _html(html: str, status: int) -> Response:
    return Response(html.encode("utf-8", "replace"), status, _HEADERS, "text/html; charset=utf-8")


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in ASSETS:
        raise HTTPException(404)
    content = files("satchel.interfaces.inspector").joinpath("assets", name).read_bytes()
    return Response(content, 200, _HEADERS, ASSETS[name])
