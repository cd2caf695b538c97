"""Makes values of kinds, and values near others: the inputs of a search."""

from __future__ import annotations

import random
import string
from typing import Any, Callable

from ..values.built_objects import Built, Lambda, hashable, is_subclass
from ..values.recorders import Recorder
from .class_values import ClassValues, Unmakeable
from .constraints import Limits, text_of_pattern
from .graph_maker import GraphMaker
from .kinds import Kind
from .near_values import NearValues
from .standard_values import standard_value
from .text_samples import SAMPLES

_SCALARS: tuple[Kind, ...] = (("int",), ("str",), ("float",))
#: What stands for a value of any kind.
_ANYTHING: tuple[Kind, ...] = (*_SCALARS, ("list", ("int",)), ("list", ("str",)))


#: A few values, so that parts of an input name the same thing, such as the ends of two edges.
_LABELS: dict[str, list[Any]] = {"int": [0, 1, 2, 3], "str": ["a", "b", "c", "d"]}
#: Functions that are tried where one is called.
_CALLABLES: tuple[Any, ...] = (
    *(Lambda("lambda *values: len(values)"), Lambda("lambda value, *more: value"), Lambda("lambda *values: bool(values[0])")),
    *(Lambda("lambda *values: values[-1]"), Lambda("lambda value, *more: value > 2"), abs, len, str, bool, max, min),
    *(Lambda("lambda value, *more: value * 2"), Lambda("lambda value, *more: value + 1"), Lambda("lambda *values: None")),
)


_IDENTITY = Lambda("lambda value, *more: value")
#: Functions of one argument that return a value of a kind, for any argument.
_OF_RETURNED: dict[str, tuple[Lambda, ...]] = {
    "int": (Lambda("lambda *values: len(values)"),),
    "bool": (Lambda("lambda value, *more: bool(value)"),),
    "str": (Lambda("lambda value, *more: str(value)"),),
    "any": (_IDENTITY, Lambda("lambda *values: len(values)"), Lambda("lambda value, *more: bool(value)")),
}
_OF_NUMBERS = [Lambda("lambda value, *more: value * 2"), Lambda("lambda value, *more: value + 1")]


class Maker:
    """Makes values of kinds, the same ones for the same seed."""

    def __init__(self, seed: int, numbers: list[Any], texts: list[str], namespace: dict[str, Any]) -> None:
        self.random = random.Random(seed)
        self._numbers = numbers
        self._texts = texts
        #: Whether the code speaks of time zones.
        self.uses_zones = False
        self._classes = ClassValues(self.random, namespace, self.make)
        self.near = NearValues(self.random, texts)
        #: Objects that the project's tests are given.
        self.known_objects: list[Built] = []
        #: Exceptions that the function handles.
        self.handled: list[type] = []
        self.graphs = GraphMaker(self.random, namespace, lambda: self.random.randint(0, 9))

    def simple(self, kind: Kind) -> list[Any]:
        """Returns the values that people try first: empty, one, several, the borders."""
        name = kind[0]
        if name == "int":
            return [0, 1, 2, 3, -1, 5, 10, 7, *self._near(int)]
        if name == "float":
            return [0.0, 1.0, 2.5, -1.5, 0.5, 10.0, *self._near(float)]
        if name == "complex":
            return [0j, 1 + 2j, -1.5j]
        if name == "str":
            return ["", "a", "ab", "Hello World", "abcabc", "12", "A", *self._texts[:12], *SAMPLES]
        if name == "bool":
            return [True, False]
        if name == "bytes":
            return [b"", b"a", b"abc", b"\x00\xff", b"Hello World\n", *(each.encode() for each in SAMPLES[:4])]
        if name == "label":
            return list(_LABELS[kind[1]])
        if name == "none":
            return [None]
        if name == "choice":
            return list(kind[1])
        if name == "enum":
            return list(kind[1])
        if name == "union":
            return [value for each in kind[1] for value in self.simple(each)[:6]]
        if name == "any":
            return [0, 1, "a", [1, 2, 3], "", [], None, 2.5]
        if name in ("list", "set", "frozenset", "tuple_of"):
            return self._simple_collections(kind)
        if name == "dict":
            keys, values = self.simple(kind[1])[:4], self.simple(kind[2])[:4]
            pairs = [(key, value) for key, value in zip(hashable(keys), values)]
            return [{}, dict(pairs[:1]), dict(pairs)]
        if name == "tuple":
            return [tuple(self.simple(part)[at % len(self.simple(part))] for part in kind[1:]) for at in range(3)]
        if name == "callable":
            return list(_CALLABLES[:4]) if len(kind) == 1 else self._tried(kind, 8)
        if name == "limited":
            return self._within(kind[1], kind[2])
        return self._tried(kind, 8 if name in ("object", "typed_dict") else 3)

    def _tried(self, kind: Kind, count: int) -> list[Any]:
        """Returns some values of a kind; one that cannot be made is one less. Raises ValueError where none can be."""
        made: list[Any] = []
        problem: ValueError = Unmakeable("no value")
        for _ in range(count):
            try:
                made.append(self.make(kind))
            except ValueError as error:
                problem = error
        if not made:
            raise problem
        return made

    def _within(self, kind: Kind, limits: Limits) -> list[Any]:
        """Returns values that keep to limits, those at the limits first. Raises ValueError if there are no such values."""
        values: list[Any] = []
        if limits.pattern is not None:
            values += [text_of_pattern(limits.pattern, self.random) for _ in range(8)]
        of = {"float": float, "decimal": _decimal}.get(kind[0], lambda each: each)
        values += [of(each) for each in limits.numbers()]
        for length in {limits.min_length or 0, min(limits.max_length or 4, 40)}:
            if kind[0] == "str":
                values.append(("abcdefgh" * 5)[:length])
            elif kind[0] in ("list", "tuple_of", "set", "frozenset"):
                items = [self.make(kind[1]) for _ in range(length)]
                values.append({"list": list, "tuple_of": tuple}.get(kind[0], set)(items))
        values += self._tried(kind, 12) if kind[0] in ("object", "decimal") else self.simple(kind)
        usable = [each for each in values if limits.allows(each)]
        if not usable:
            raise Unmakeable(f"no {kind[0]} that keeps to its limits")
        return usable

    def _simple_collections(self, kind: Kind) -> list[Any]:
        parts = self.simple(kind[1])
        of = {"list": list, "set": set, "frozenset": frozenset, "tuple_of": tuple}[kind[0]]
        usable = parts if kind[0] in ("list", "tuple_of") else hashable(parts)
        shapes = [[], usable[:1], usable[:3], usable[1:6], usable[:2] * 2]
        if kind[1][0] in ("int", "float", "any"):
            shapes += [[3, 1, 2], [1, 2, 3, 4, 5], [5, 3, 3, -2, 0, 8], [2, 2]]
        return [of(shape) for shape in shapes]

    def _near(self, of: Callable[[Any], Any]) -> list[Any]:
        near: list[Any] = []
        for number in self._numbers[:10]:
            for each in (number, number + 1, number - 1):
                value = of(each)
                if value not in near and abs(value) < 10**7:
                    near.append(value)
        return near

    def make(self, kind: Kind, depth: int = 0) -> Any:
        """Returns a random value. Raises ValueError where none can be made."""
        draw = self.random
        name = kind[0]
        if name == "int":
            return draw.choice([draw.randint(-5, 12), draw.randint(0, 100), draw.choice(self._near(int) or [4])])
        if name == "float":
            return draw.choice([float(draw.randint(-4, 12)), round(draw.uniform(-10, 50), 2), draw.choice(self._near(float) or [0.25])])
        if name == "complex":
            return complex(draw.randint(-3, 3), draw.randint(-3, 3))
        if name == "str":
            return self._text()
        if name == "bool":
            return draw.random() < 0.5
        if name == "bytes":
            return bytes(draw.choice(b"abc \x00\xff012") for _ in range(draw.randint(0, 6)))
        if name == "label":
            return draw.choice(_LABELS[kind[1]])
        if name == "none":
            return None
        if name in ("choice", "enum"):
            return draw.choice(list(kind[1]))
        if name == "union":
            return self.make(draw.choice(kind[1]), depth)
        if name == "any":
            return self.make(draw.choice(_SCALARS if depth > 1 else _ANYTHING), depth + 1)
        if name == "list":
            return self._items(kind[1], depth)
        if name == "tuple_of":
            return tuple(self._items(kind[1], depth))
        if name in ("set", "frozenset"):
            items = hashable(self._items(kind[1], depth))
            return set(items) if name == "set" else frozenset(items)
        if name == "dict":
            edges = self.graphs.edges(kind[1])
            keys = edges if edges is not None else hashable(self._items(kind[1], depth))
            return {key: self.make(kind[2], depth + 1) for key in keys}
        if name == "tuple":
            return tuple(self.make(part, depth + 1) for part in kind[1:])
        if name == "object":
            return self._instance(kind[1], depth)
        if name == "typed_dict":
            return self._classes.typed_dict(kind[1], depth)
        if name == "limited":
            return draw.choice(self._within(kind[1], kind[2]))
        if name == "callable":
            return draw.choice(_CALLABLES) if len(kind) == 1 else self._callback(kind[1], kind[2], depth)
        if name == "node":
            return self.graphs.node(kind[1])
        return self._standard(name)

    def _callback(self, taken: tuple[Kind, ...], returned: Kind, depth: int) -> Any:
        """Returns a function that keeps to its declared types: one that calculates, or one that records its calls."""
        draw = self.random
        calculating = list(_OF_RETURNED.get(returned[0], ()))
        if taken and taken[0] == returned:
            calculating.append(_IDENTITY)
            calculating += _OF_NUMBERS if returned[0] in ("int", "float") else []
        if calculating and draw.random() < 0.4:
            return draw.choice(calculating)
        results = [self.make(returned, depth + 1) for _ in range(draw.choice([1, 1, 2]))]
        if self.handled and draw.random() < 0.4:
            failing = [draw.choice(self.handled)("refused") for _ in range(draw.choice([1, 1, 2, 3]))]
            results = [*failing, *results] if draw.random() < 0.7 else failing[:1]
        return Built.of(Recorder, [] if results == [None] else results, {})

    def _items(self, kind: Kind, depth: int) -> list[Any]:
        draw = self.random
        if kind[0] == "node":
            return self.graphs.nodes(kind[1])
        most = 3 if depth > 0 else 8
        items = [self.make(kind, depth + 1) for _ in range(draw.choice([0, 1, 2, 3, draw.randint(0, most)]))]
        style = draw.random()
        try:
            if style < 0.25:
                items.sort()
            elif style < 0.35:
                items.sort(reverse=True)
            elif style < 0.5 and items:
                items.insert(draw.randint(0, len(items)), draw.choice(items))
        except TypeError:
            pass
        return items

    def _text(self) -> str:
        draw = self.random
        style = draw.random()
        if self._texts and style < 0.35:
            pieces = [draw.choice(self._texts) for _ in range(draw.randint(1, 3))]
            return draw.choice(["", " ", ",", "-"]).join(pieces)[:60]
        if style < 0.42:
            return draw.choice(SAMPLES)
        if style < 0.46:
            lines = [draw.choice(["", " ", "  ", "    ", "\t"]) + draw.choice(["", "a", "b c", "x = 1", "- d"]) for _ in range(draw.randint(2, 4))]
            return "\n".join(lines)
        if style < 0.5:
            return "".join(draw.choice("ab ") for _ in range(draw.randint(0, 8)))
        if style < 0.6:
            word = "".join(draw.choice("abc") for _ in range(draw.randint(1, 4)))
            return word + word[::-1]
        if style < 0.75:
            return " ".join("".join(draw.choice(string.ascii_letters) for _ in range(draw.randint(1, 6))) for _ in range(draw.randint(1, 4)))
        if style < 0.85:
            return "".join(draw.choice(string.digits) for _ in range(draw.randint(1, 6)))
        return "".join(draw.choice(string.ascii_letters + string.digits + " ()[]{}.,:-_!?'\"") for _ in range(draw.randint(0, 12)))

    def _standard(self, name: str) -> Any:
        return standard_value(name, self.random, self.uses_zones)

    def _instance(self, cls: type, depth: int) -> Any:
        """Returns an object built by its class, from values of its parameters."""
        known = [each for each in self.known_objects if is_subclass(each.cls, cls)]
        if known and self.random.random() < (0.25 if depth == 0 else 0.12):
            return self.random.choice(known)
        return self._classes.instance(cls, depth)

    def receiver(self, cls: type) -> Built:
        """Returns an object of the class of a method. Raises ValueError where none can be made."""
        return self._classes.instance(cls, 0)


def _decimal(value: Any) -> Any:
    import decimal

    return decimal.Decimal(str(value))

