"""What is in the warehouse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum


class Level(Enum):
    """How much of a product is left."""

    OUT = "out"
    LOW = "low"
    FINE = "fine"


class OutOfStock(Exception):
    """There is not enough of a product."""


def level_of(count: int, low: int = 5) -> Level:
    """Return how much is left.

    >>> level_of(3)
    <Level.LOW: 'low'>
    """
    if count <= 0:
        return Level.OUT
    return Level.LOW if count < low else Level.FINE


def take(stock: dict[str, int], name: str, count: int = 1) -> int:
    """Take pieces out of the stock, which is changed; return how many are left.

    >>> take({"pen": 5}, "pen", 2)
    3
    """
    left = stock.get(name, 0) - count
    if left <= 0:
        raise OutOfStock(name)
    stock[name] = left
    return left


def batches(names: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield names in lists of a size; the last one may be shorter.

    >>> list(batches(["a", "b", "c"], 2))
    [['a', 'b'], ['c']]
    """
    if size < 1:
        raise ValueError("size must be at least 1")
    batch: list[str] = []
    for name in names:
        batch.append(name)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


async def reorder(stock: dict[str, int], target: int) -> dict[str, int]:
    """Return how many pieces of each product are missing from a target.

    >>> import asyncio
    >>> asyncio.run(reorder({"pen": 2, "cup": 9}, 5))
    {'pen': 3}
    """
    return {name: target - count for name, count in stock.items() if count < target}
