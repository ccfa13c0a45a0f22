"""What a type checker has to refuse, line by line."""

from bulkheads import Bulkhead

shipping = Bulkhead("shipping", max_concurrent=10)
Bulkhead("shipping")  # wrong
Bulkhead("shipping", maxConcurrent=10)  # wrong


async def fetch(address: str) -> str:
    return address


@shipping.wrap
async def quote(address: str) -> int:
    return len(address)


async def main() -> None:
    await shipping.run(fetch, 3)  # wrong
    await shipping.run(fetch, "here", "there")  # wrong
    await quote(3)  # wrong
    await shipping.acquire(heavy=2)  # wrong
    await shipping.close(True)  # wrong
    number: int = await shipping.run(fetch, "here")  # wrong
    print(number)
