"""Makes inputs of a function: those that people try first, random ones, and ones beside others."""

from __future__ import annotations

import copy
import itertools
from typing import Any, Iterator, Optional, Sequence

from ..values.built_objects import Built, is_protocol, is_subclass
from ..values.object_graphs import nodes_of
from .around_values import AroundValues
from .current_call import Call
from .kinds import Kind, kind_of
from .object_states import ObjectStates
from .target import Input, Target
from .parameter_kinds import kind_of_value, says_nothing
from .class_values import Unmakeable
from .value_maker import Maker

#: What making a value may raise, whatever the project's classes do.
UNUSABLE = (Exception, SystemExit)
#: Inputs that are drawn where values cannot be combined, as those of one input belong to one graph.
_GRAPH_INPUTS = 40


class InputMaker:
    """Makes inputs of one function from the kinds of its parameters."""

    def __init__(self, target: Target, parameters: list[dict[str, Any]], namespace: dict[str, Any], maker: Maker) -> None:
        self._target = target
        self._parameters = parameters
        self._namespace = namespace
        self._maker = maker
        self._receivers: list[Built] = []
        #: Why an input could not be made.
        self.problem: Optional[str] = None
        #: Makes what is around calls; set before inputs are made.
        self.around: Optional[AroundValues] = None
        self._states = ObjectStates(target.owner, namespace) if target.needs_receiver else None

    def extended(self, given: Input, call: Call) -> Optional[Input]:
        """Returns the input with what its call asked for; None if that was nothing that can be arranged."""
        return None if self.around is None else self.around.extended(given, call)

    def known_objects(self, objects: Sequence[Built]) -> None:
        """Takes objects that the project's tests are given: they are used where they fit."""
        self._maker.known_objects = list(objects)
        if self._target.needs_receiver:
            self._receivers = [each for each in objects if is_subclass(each.cls, self._target.owner)]

    def simple(self, vectors: list[list[Kind]]) -> list[Input]:
        inputs: list[Input] = []
        for vector in vectors:
            if any(holds_nodes(kind) for kind in vector):
                inputs += self.random([vector], _GRAPH_INPUTS)
            else:
                try:
                    values = [self._maker.simple(kind) for kind in vector]
                    inputs += itertools.islice(self.combined(values), 80)
                except UNUSABLE as error:
                    self._note(error)
        return inputs

    def _note(self, error: BaseException) -> None:
        """One input that cannot be made is one input less; why is kept for a function that gets none."""
        if isinstance(error, Unmakeable):
            self.problem = self.problem or str(error)

    def combined(self, values: list[list[Any]]) -> Iterator[Input]:
        """Yields inputs in which each value of each parameter occurs early."""
        # Without arguments the object of a method alone is what differs.
        longest = max([len(each) for each in values], default=4 if self._target.needs_receiver else 1)
        for shift in range(8):
            for at in range(longest):
                args = [each[(at * (1 + shift * index) + shift * index) % len(each)] for index, each in enumerate(values)]
                try:
                    yield Input(args, self._keywords(), self._receiver(), "simple")
                except UNUSABLE as error:
                    self._note(error)

    def random(self, vectors: list[list[Kind]], count: int) -> list[Input]:
        inputs: list[Input] = []
        for _ in range(count):
            try:
                inputs.append(self._random(self._maker.random.choice(vectors)))
            except UNUSABLE as error:
                self._note(error)
        return inputs

    def _random(self, vector: list[Kind]) -> Input:
        draw = self._maker.random
        self._maker.graphs.begin()
        required = [each["required"] for each in self._parameters if each["kind"].startswith("positional")]
        length = len(vector)
        while length > 0 and not required[length - 1] and draw.random() < 0.25:
            length -= 1
        args = [self._maker.make(kind) for kind in vector[:length]]
        if length == len(vector) and any(each["kind"] == "var_positional" for each in self._parameters):
            kind = self._variadic_kind(vector)
            args += [self._maker.make(kind) for _ in range(draw.randint(0, 3))]
        return Input(args, self._keywords(), self._receiver(), "random")

    def _variadic_kind(self, vector: list[Kind]) -> Kind:
        annotation = next(each["type"] for each in self._parameters if each["kind"] == "var_positional")
        kind = kind_of(annotation, self._namespace)
        if not says_nothing(kind):
            return kind
        return vector[-1] if vector else self._maker.random.choice([("int",), ("str",)])

    def _keywords(self) -> dict[str, Any]:
        keywords = {}
        for each in self._parameters:
            if each["kind"] == "keyword_only" and (each["required"] or self._maker.random.random() < 0.4):
                kind = kind_of(each["type"], self._namespace)
                if says_nothing(kind) and not each["required"]:
                    if each["default"] is None:
                        # Nothing says what else it may be.
                        continue
                    kind = kind_of_value(each["default"])
                try:
                    keywords[each["name"]] = self._maker.make(kind)
                except ValueError:
                    if each["required"]:
                        raise
        return keywords

    def _receiver(self) -> Optional[Built]:
        if not self._target.needs_receiver:
            return None
        if self._receivers and self._maker.random.random() < 0.4:
            return self._maker.random.choice(self._receivers)
        if self._target.name in getattr(self._target.owner, "__abstractmethods__", ()) or is_protocol(self._target.owner):
            raise Unmakeable(f"{self._target.owner.__name__} leaves it to others to say what its {self._target.name} does")
        built = self._maker.receiver(self._target.owner)
        if self._states is not None and self._maker.random.random() < 0.6:
            return self._states.after_calls(built, self._maker.random, self._maker.make)
        return built

    def neighbour(self, given: Input) -> Input:
        """Returns an input with one value changed a little. Raises ValueError where there is none."""
        args, kwargs = copy.deepcopy((given.args, given.kwargs))
        receiver = given.receiver
        draw = self._maker.random
        if given.around and self.around is not None and (not args and not kwargs or draw.random() < 0.4):
            return Input(args, kwargs, receiver, "random", self.around.neighbour(given.around))
        nodes = nodes_of([*args, *kwargs.values()])
        if nodes and draw.random() < 0.7:
            self._maker.near.change_node(draw.choice(nodes), nodes)
        elif args and (receiver is None or draw.random() < 0.7):
            at = draw.randrange(len(args))
            args[at] = self._maker.near.neighbour(args[at])
        elif receiver is not None:
            receiver = receiver.neighbour(self._maker.near.changed_item)
        elif kwargs:
            name = draw.choice(list(kwargs))
            kwargs[name] = self._maker.near.neighbour(kwargs[name])
        return Input(args, kwargs, receiver, "random", dict(given.around))


def holds_nodes(kind: Kind) -> bool:
    return kind[0] == "node" or any(isinstance(each, tuple) and each and holds_nodes(each) for each in kind[1:])
