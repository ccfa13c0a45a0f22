"""The checkout service of service.mjs, in Python: two partners, each behind a bulkhead of its
own."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict
from typing import Any

from aiohttp import ClientSession, web

from bulkheads import Bulkhead, BulkheadError

SHIPPING_URL, PAYMENT_URL = os.environ["SHIPPING_URL"], os.environ["PAYMENT_URL"]

# Little's law: 25 quotes a second at 0.25 s hold 7 permits; with a third of head-room, 10. A call
# waits well below its own time-out, since nobody waits long for a price.
shipping = Bulkhead("shipping", max_concurrent=10, max_queue=20, timeout=0.3, call_timeout=2.0)
payment = Bulkhead("payment", max_concurrent=15, max_queue=30, timeout=0.3, call_timeout=2.0)

http = web.AppKey("http", ClientSession)
routes = web.RouteTableDef()


@shipping.wrap
async def quote_shipping(session: ClientSession, address: str) -> float:
    quote = await post(session, f"{SHIPPING_URL}/quotes", {"address": address})
    return float(quote["price"])


@payment.wrap
async def charge(session: ClientSession, amount: float) -> dict[str, object]:
    receipt: dict[str, object] = await post(session, f"{PAYMENT_URL}/charges", {"amount": amount})
    return receipt


@routes.post("/checkout")
async def checkout(request: web.Request) -> web.Response:
    order = await request.json()
    session = request.app[http]
    # Orders that are picked up need no shipping, so shipping cannot stop them.
    delivery = await quote_shipping(session, order["address"]) if order.get("address") else 0
    receipt = await charge(session, order["total"] + delivery)
    return web.json_response({"delivery": delivery, "receipt": receipt})


@routes.post("/login")
async def login(request: web.Request) -> web.Response:
    return web.json_response({"user": (await request.json())["user"], "session": str(uuid.uuid4())})


@routes.get("/health")
async def health(_: web.Request) -> web.Response:
    return web.json_response({"shipping": asdict(shipping.stats()), "payment": asdict(payment.stats())})


async def post(session: ClientSession, url: str, body: dict[str, Any]) -> Any:
    async with session.post(url, json=body, raise_for_status=True) as response:
        return await response.json()


@web.middleware
async def answer_for_bulkheads(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        return await handler(request)
    except BulkheadError as error:
        body = {"error": error.code, "bulkhead": error.bulkhead, "message": str(error)}
        # A rejected call never started: it is safe to try again, later. One that timed out may have
        # had its effect.
        if error.is_rejection:
            return web.json_response(body, status=503, headers={"Retry-After": "1"})
        return web.json_response(body, status=504)


async def open_session(app: web.Application) -> AsyncIterator[None]:
    async with ClientSession() as app[http]:
        yield
        await shipping.drain()
        await payment.drain()


app = web.Application(middlewares=[answer_for_bulkheads])
app.add_routes(routes)
app.cleanup_ctx.append(open_session)

if __name__ == "__main__":
    # With handler_cancellation a caller who hangs up takes his calls to the partners with him.
    web.run_app(app, host="127.0.0.1", port=int(os.environ["PORT"]), handler_cancellation=True, print=None)
