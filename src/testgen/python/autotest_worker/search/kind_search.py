"""Finds the kinds of values that a function takes: by annotations, examples, its code, and by trying."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Optional

from ..functions import Function
from .input_maker import InputMaker
from .kinds import ANY, Kind, kind_of
from .observe import observe_traced
from .target import Input, Outcome, Target
from .parameter_kinds import alternatives, asks_for, kind_of_value, rank, says_nothing, used_kinds
from .parameter_shapes import parameter_shapes
from .value_maker import Maker
from .value_shapes import Shape
from .work import Work, calls_in, cost_of

#: Calls for trying, as seconds of the search.
_PROBE_SECONDS = 0.6
#: Processor time of a call after which it is not waited for, and what such a call counts, in seconds of the search.
_PATIENCE = 0.2
#: What a kind loses for each one that is more usual.
_UNUSUAL = 0.1
_FAMILIES = {"int": "number", "float": "number", "bool": "number", "tuple_of": "tuple", "str": "text", "bytes": "text"}
#: What kinds lose that are not alike where the code compares the values.
_UNLIKE = 3.0


class KindSearch:
    """Returns vectors of kinds for the positional parameters of a function, the best first."""

    def __init__(
        self,
        target: Target,
        node: Function,
        parameters: list[dict[str, Any]],
        namespace: dict[str, Any],
        functions: list[Any],
        makers: tuple[Maker, InputMaker],
        is_allowed: Callable[[Outcome], bool],
        work: Work,
    ) -> None:
        self._target = target
        self._node = node
        self._parameters = [each for each in parameters if each["kind"] in ("positional", "positional_only")]
        self._namespace = namespace
        self._functions = functions
        self._maker, self._inputs = makers
        self._is_allowed = is_allowed
        self._work = work

    def vectors(self, examples: list[Input]) -> list[list[Kind]]:
        kinds = [kind_of(each["type"], self._namespace) for each in self._parameters]
        for given in examples:
            for at, value in enumerate(given.args[: len(kinds)]):
                if kinds[at] == ANY:
                    kinds[at] = kind_of_value(value)
                elif kinds[at] in (("list", ANY), ("dict", ("str",), ANY)):
                    kinds[at] = kind_of_value(value) if isinstance(value, (list, dict)) and value else kinds[at]
        shapes = parameter_shapes(self._node)
        for at, parameter in enumerate(self._parameters):
            if says_nothing(kinds[at]):
                kinds[at] = _kind_of_shape(shapes.get(parameter["name"])) or kinds[at]
        kinds = self._makeable(kinds)
        if not any(says_nothing(each) for each in kinds):
            return [kinds]
        options = [
            self._options(parameter, shapes.get(parameter["name"])) if says_nothing(kind) else [kind]
            for kind, parameter in zip(kinds, self._parameters)
        ]
        return self._probe(options, _alike([shapes.get(each["name"]) for each in self._parameters])) or [kinds]

    def _makeable(self, kinds: list[Kind]) -> list[Kind]:
        """Leaves out parameters from the first one on that has a default and for which no value can be made."""
        for at, (parameter, kind) in enumerate(zip(self._parameters, kinds)):
            if parameter["required"] or says_nothing(kind):
                continue
            try:
                self._maker.simple(kind)
            except (Exception, SystemExit):  # noqa: BLE001 - whatever the project's classes do
                if not any(each["required"] for each in self._parameters[at:]):
                    self._parameters = self._parameters[:at]
                    return kinds[:at]
        return kinds

    def _options(self, parameter: dict[str, Any], shape: Optional[Shape]) -> list[Kind]:
        hints = [*_hinted(shape), *used_kinds(parameter["name"], self._node)]
        return _distinct([*hints, *alternatives(parameter)])

    def _probe(self, options: list[list[Kind]], alike: list[tuple[int, int]]) -> list[list[Kind]]:
        """Returns the vectors of kinds that the function accepts, those with the most different results first.

        `alike` are the places of parameters whose parts are compared with each other.
        """
        scored: list[tuple[float, int, list[Kind]]] = []
        combinations = itertools.islice(itertools.product(*options), 2500)
        ordered = sorted(enumerate(combinations), key=lambda each: rank(each[1], options))
        until = self._work.done + min(self._work.left, calls_in(_PROBE_SECONDS))
        for number, (_, vector) in enumerate(ordered):
            if self._work.done > until or number > 400:
                break
            score = self._acceptance(list(vector))
            if score > 0:
                # What people would not think of first needs to show more.
                unlike = sum(_family(vector[one]) != _family(vector[other]) for one, other in alike)
                scored.append((_UNUSUAL * rank(vector, options) + _UNLIKE * unlike - score, number, list(vector)))
        scored.sort(key=lambda each: each[:2])
        takes_bytes = [asks_for(each["name"], "bytes", self._node) for each in self._parameters]
        return _plausible([vector for _, _, vector in scored], takes_bytes)[:3]

    def _acceptance(self, vector: list[Kind]) -> float:
        accepted, values, outcomes = 0, 0, set()
        lines: set[int] = set()
        tries = 0
        for given in self._inputs.simple([vector])[:6]:
            tries += 1
            outcome, seen, call = observe_traced(self._target, given, self._functions, _PATIENCE)
            extended = self._inputs.extended(given, call)
            if extended is not None:
                outcome, seen, _ = observe_traced(self._target, extended, self._functions, _PATIENCE)
            self._work.add(calls_in(_PATIENCE) if outcome.kind == "too_long" else 2 * cost_of(outcome.steps))
            if self._is_allowed(outcome):
                lines |= seen
                accepted += 1
                values += outcome.kind == "value"
                if outcome.kind == "value" and outcome.source != "None" or outcome.changed:
                    outcomes.add(outcome.key)
        if tries == 0 or accepted / tries < 0.5 or values == 0:
            return 0
        # Values that the function works on reach more of it than those that it gets rid of.
        return (accepted + values + len(outcomes)) / tries + len(lines) / 3


def _alike(shapes: list[Optional[Shape]]) -> list[tuple[int, int]]:
    found = []
    for one, left in enumerate(shapes):
        for other in range(one + 1, len(shapes)):
            right = shapes[other]
            if left is None or right is None:
                continue
            items = [each.end().items for each in (left, right)]
            if left.end() is right.end() or items[0] is not None and items[1] is not None and items[0].end() is items[1].end():
                found.append((one, other))
    return found


def _plausible(vectors: list[list[Kind]], takes_bytes: list[bool]) -> list[list[Kind]]:
    """Returns the vectors that say the same of each parameter as the best one: nobody passes a set where a list is meant.

    Truth values are left out where numbers are taken, and bytes where texts are and the code does not ask for bytes.
    """

    def families(vector: list[Kind]) -> list[str]:
        return [_family(kind) for kind in vector]

    def is_odd(vector: list[Kind]) -> bool:
        return any(kind == ("bool",) or kind == ("bytes",) and not asked for kind, asked in zip(vector, takes_bytes))

    usual = [vector for vector in vectors if not is_odd(vector)]
    usable = [
        vector for vector in vectors if not is_odd(vector) or all(families(vector) != families(other) for other in usual)
    ]
    return [vector for vector in usable if families(vector) == families(usable[0])]


def _family(kind: Kind) -> str:
    return _FAMILIES.get(kind[0], str(kind[-1] if kind[0] == "label" else kind[0]))


def _distinct(kinds: list[Kind]) -> list[Kind]:
    return list(dict.fromkeys(kinds))


def _kind_of_shape(shape: Optional[Shape]) -> Optional[Kind]:
    """Returns the kind of objects that only attributes are read of, of what holds them, and of functions; else None."""
    if shape is None:
        return None
    if shape.end().called:
        return ("callable",)
    return _structure(shape, ("int",)) if shape.has_objects() else None


def _hinted(shape: Optional[Shape]) -> list[Kind]:
    """Returns kinds with the structure that the code shows: lists of pairs, dictionaries by pairs."""
    if shape is None or not _is_nested(shape.end()):
        return []
    items = shape.end().items
    kinds = [_structure(shape, leaf) for leaf in (("label", "int"), ("label", "str"))]
    if shape.end().keys is None and items is not None and items.end().places:
        # What is iterated over may be a dictionary, too.
        kinds += [("dict", kind[1], ("int",)) for kind in kinds]
    return kinds


def _is_nested(shape: Shape) -> bool:
    inner = [each.end() for each in (shape.items, shape.keys) if each is not None]
    return bool(shape.places) or any(each.items or each.keys or each.places for each in inner)


def _structure(shape: Shape, leaf: Kind, depth: int = 0) -> Kind:
    end = shape.end()
    if end.is_object():
        return ("node", end)
    if depth > 3:
        return leaf
    if end.keys is not None:
        item = _structure(end.items, ("int",), depth + 1) if end.items is not None else ("int",)
        return ("dict", _structure(end.keys, leaf, depth + 1), item)
    if end.items is not None:
        return ("list", _structure(end.items, leaf, depth + 1))
    if end.places:
        return ("tuple", *(_structure(end.places.get(at, Shape()), leaf, depth + 1) for at in range(max(end.places) + 1)))
    return leaf
