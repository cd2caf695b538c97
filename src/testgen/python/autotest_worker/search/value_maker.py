"""Makes values of kinds, and values near others: the inputs of a search."""

from __future__ import annotations

import dataclasses
import inspect
import random
import string
import sys
from typing import Any, Callable

from ..values.built_objects import Built, Lambda, hashable
from .graph_maker import GraphMaker
from .kinds import Kind, kind_of, type_text
from .near_values import NearValues
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


class Maker:
    """Makes values of kinds, the same ones for the same seed."""

    def __init__(self, seed: int, numbers: list[Any], texts: list[str], namespace: dict[str, Any]) -> None:
        self.random = random.Random(seed)
        self._numbers = numbers
        self._texts = texts
        self._namespace = namespace
        self.near = NearValues(self.random, texts)
        #: Objects that the project's tests are given.
        self.known_objects: list[Built] = []
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
            return list(_CALLABLES[:4])
        return [self.make(kind) for _ in range(3)]

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
        if name == "callable":
            return draw.choice(_CALLABLES)
        if name == "node":
            return self.graphs.node(kind[1])
        return self._standard(name)

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
        import datetime
        import decimal
        import fractions
        import pathlib

        draw = self.random
        day = datetime.date(2024, 1, 1) + datetime.timedelta(days=draw.randint(-400, 400))
        if name == "date":
            return day
        if name == "datetime":
            return datetime.datetime(day.year, day.month, day.day, draw.randint(0, 23), draw.randint(0, 59))
        if name == "timedelta":
            return datetime.timedelta(minutes=draw.randint(-3000, 9000))
        if name == "decimal":
            return decimal.Decimal(draw.randint(-500, 5000)) / 100
        if name == "fraction":
            return fractions.Fraction(draw.randint(-9, 9), draw.randint(1, 9))
        if name == "path":
            return pathlib.PurePosixPath(draw.choice(["a/b.txt", "x", "/data/c.tar.gz", "."]))
        raise ValueError(f"no value of {name}")

    def _instance(self, cls: type, depth: int) -> Any:
        """Returns an object built by its class, from values of its parameters."""
        if depth > 3:
            raise ValueError(f"{cls.__name__} is nested too deep")
        known = [each for each in self.known_objects if issubclass(each.cls, cls)]
        if known and self.random.random() < 0.4:
            return self.random.choice(known)
        arguments, keywords = self.arguments_of(cls, depth)
        try:
            return Built.of(cls, arguments, keywords)
        except Exception as error:
            raise ValueError(f"{cls.__name__} cannot be made: {error}") from error

    def arguments_of(self, cls: type, depth: int = 0) -> tuple[list[Any], dict[str, Any]]:
        """Returns arguments with which a class can be called."""
        try:
            signature = inspect.signature(cls)
        except (TypeError, ValueError) as error:
            raise ValueError(str(error)) from error
        namespace = {**vars(sys.modules.get(cls.__module__) or object), **self._namespace}
        hints = {each.name: each.type for each in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else {}
        arguments: list[Any] = []
        keywords: dict[str, Any] = {}
        for parameter in signature.parameters.values():
            if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                continue
            if parameter.default is not parameter.empty and self.random.random() < 0.4:
                if parameter.kind is not parameter.KEYWORD_ONLY:
                    break
                continue
            annotation = hints.get(parameter.name, parameter.annotation)
            text = annotation if isinstance(annotation, str) else type_text(None if annotation is parameter.empty else annotation)
            value = self.make(kind_of(text, namespace), depth + 1)
            if parameter.kind is parameter.KEYWORD_ONLY:
                keywords[parameter.name] = value
            else:
                arguments.append(value)
        return arguments, keywords
