import { afterEach, describe, expect, it } from 'vitest'
import { needsPython } from '../../needs.js'
import { findPythonHere, pythonWorkers } from '../python-here.js'
import { scoredTests } from './scored-tests.js'

const { start, close } = pythonWorkers(findPythonHere())
afterEach(close)

const written = (source: string, qualname: string) => scoredTests(start({ 'm.py': source }), qualname)

const orders = `import enum
import re
import uuid
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Annotated, List, NewType, Optional, Protocol, TypedDict, Union

Cents = NewType("Cents", int)


class State(enum.Enum):
    OPEN = "open"
    PAID = "paid"
    GONE = "gone"

    def is_final(self) -> bool:
        return self is not State.OPEN

    @property
    def label(self) -> str:
        return self.value.upper() + "!"


@dataclass
class Line:
    name: str
    cents: Cents
    count: int = 1

    def __post_init__(self):
        if self.count < 1:
            raise ValueError("count")


@dataclass
class Order:
    id: uuid.UUID
    lines: List[Line]
    state: State = State.OPEN
    notes: dict = field(default_factory=dict)

    def total(self) -> int:
        return sum(each.cents * each.count for each in self.lines)


class Row(TypedDict):
    name: str
    count: int


class Shape(ABC):
    @abstractmethod
    def area(self) -> int: ...


class Square(Shape):
    def __init__(self, side: int) -> None:
        self.side = side

    def area(self) -> int:
        return self.side * self.side


class Ge:
    def __init__(self, ge):
        self.ge = ge


def is_large(order: Order, limit: int) -> bool:
    return order.total() > limit and order.state is not State.GONE


def matches(text: str, pattern: re.Pattern) -> bool:
    return pattern.search(text) is not None or text == ""


def short(key: uuid.UUID) -> str:
    return key.hex[:8] + "-" + str(key.int % 7)


def age(at: datetime) -> int:
    if at.tzinfo is None:
        at = at.replace(tzinfo=timezone.utc)
    return (at - datetime(2024, 1, 1, tzinfo=timezone.utc)).days


def describe(row: Row) -> str:
    return f"{row['count'] + 1} x {row['name']}"


def double(cents: Cents) -> int:
    return cents * 2 + 1


def twice(shape: Shape) -> int:
    return shape.area() * 2


def half(count: Annotated[int, Ge(10)]) -> int:
    if count < 10:
        raise ValueError("too few")
    return count // 2


def first(values: Union[List[Line], None], fallback: Optional[Line] = None) -> str:
    if values:
        return values[0].name + "."
    return fallback.name if fallback is not None else "none"
`

describe('values are made by declared type', needsPython, () => {
  it.each([
    ['State.is_final', 1, 'State.'],
    ['State.label', 1, 'State.'],
    ['Order.total', 0.7, 'Line('],
    ['is_large', 0.6, 'Order('],
    ['matches', 0.6, 're.compile('],
    ['short', 0.8, 'UUID('],
    ['age', 0.6, 'datetime('],
    ['describe', 0.9, '\'name\'|"name"'],
    ['double', 1, 'double('],
    ['twice', 0.9, 'Square('],
    ['half', 0.7, 'half(1'],
    ['first', 0.7, 'Line('],
  ])(
    '%s',
    async (qualname, least, part) => {
      const { text, failed, share, problem } = await written(orders, qualname)
      expect([problem, failed], text).toEqual([null, []])
      expect(text).toMatch(new RegExp(part.replace(/[.(]/g, '\\$&')))
      expect(share, text).toBeGreaterThanOrEqual(least)
    },
    60_000,
  )
})

describe('one bad input is one input less', needsPython, () => {
  it.each([
    [
      'a constructor that refuses most, and one that never ends',
      'class Even:\n    def __init__(self, n: int) -> None:\n        if n % 2:\n            raise SystemExit("odd")\n        while n == 4:\n            pass\n        self.n = n\n\n\ndef f(even: Even, m: int) -> int:\n    return even.n + m\n',
    ],
    [
      'a constructor that takes little but its defaults',
      'class Cache:\n    def __init__(self, size=128, values=None, on_miss=None, name=None, key=None, keep=None):\n        if size <= 0 or not all(each is None for each in (values, on_miss, name, key, keep)):\n            raise ValueError("no")\n        self.size = size\n\n\ndef f(cache: Cache, m: int) -> int:\n    return cache.size + m\n',
    ],
    [
      'a call that never ends for some',
      'def f(n: int, m: int) -> int:\n    while n == 0 or n == 2:\n        pass\n    return n + m\n',
    ],
    [
      'a call that ends the process for some',
      'import sys\n\n\ndef f(n: int, m: int) -> int:\n    if n == 1:\n        sys.exit(3)\n    return n + m\n',
    ],
  ])(
    '%s',
    async (_what, source) => {
      const { text, failed, share } = await written(source, 'f')
      expect(failed, text).toEqual([])
      expect(share, text).toBeGreaterThan(0.5)
    },
    60_000,
  )
})

describe('without an input there is a reason', needsPython, () => {
  const hidden = 'class Hidden:\n    def __init__(self) -> None:\n        self._n = 1\n\n\n'
  it.each([
    [
      'class Never:\n    def __init__(self, n: int) -> None:\n        raise ValueError(f"no: {n > 10**9}")\n\n\ndef f(value: Never) -> int:\n    return 1\n',
      'no Never could be made (ValueError: no: False)',
    ],
    [
      'from abc import ABC, abstractmethod\n\n\nclass Base(ABC):\n    def __init_subclass__(cls):\n        raise TypeError("closed")\n\n    @abstractmethod\n    def g(self) -> int: ...\n\n\ndef f(base: Base) -> int:\n    return base.g() + 1\n',
      'Base is abstract, and no class of the project implements it; Base cannot be implemented by what records calls: closed',
    ],
    ['def f(n: int) -> int:\n    while True:\n        pass\n', 'no call ended in its time'],
    [
      'import random\n\n\ndef f(n: int) -> float:\n    return random.SystemRandom().random() + n\n',
      'its outcome changes from call to call with the same arguments: random numbers, the clock or state that it keeps',
    ],
    [
      `${hidden}def f(n: int) -> Hidden:\n    return Hidden()\n`,
      'nothing that it returns can be asserted: a Hidden shows nothing public',
    ],
    [
      'import os\n\n\ndef f(n: int) -> str:\n    return os.path.abspath(str(n))\n',
      'what it does depends on where the project is: its outcome names that folder',
    ],
  ])(
    '%#: of %j',
    async (source, reason) => {
      const { names, problem } = await written(source, 'f')
      expect([names, problem]).toEqual([[], reason])
    },
    60_000,
  )
})
