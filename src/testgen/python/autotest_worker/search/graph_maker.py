"""Makes graphs of objects in the shape that a function reads."""

from __future__ import annotations

import ast
import inspect
import random
import textwrap
from typing import Any, Callable, Optional

from ..values.object_graphs import GraphNode, constructor_names, nodes_of, refers
from .kinds import Kind
from .value_shapes import Shape

#: Attributes of which each says the other way round what the other says.
_OPPOSITES = (
    ("incoming", "outgoing"),
    ("predecessor", "successor"),
    ("parents", "children"),
    ("prev", "next"),
)
_MOST_NODES = 5


class GraphMaker:
    """Makes graphs of the shape that a function reads: chains, rings, trees, others; one graph an input."""

    def __init__(self, draw: random.Random, namespace: dict[str, Any], scalar: Callable[[], Any]) -> None:
        self._random = draw
        self._namespace = namespace
        self._scalar = scalar
        self._graphs: dict[int, list[GraphNode]] = {}
        self._count = 0

    def begin(self) -> None:
        """Begins a new input: what follows is of one graph."""
        self._graphs = {}
        self._count = 0

    def node(self, shape: Shape) -> Optional[GraphNode]:
        nodes = self._nodes(shape.end())
        if not nodes or self._random.random() < 0.06:
            return None
        return nodes[0] if self._random.random() < 0.6 else self._random.choice(nodes)

    def nodes(self, shape: Shape) -> list[GraphNode]:
        """Returns several nodes of the graph, all of them in most cases."""
        nodes = list(self._nodes(shape.end()))
        style = self._random.random()
        if style < 0.2:
            self._random.shuffle(nodes)
        return nodes if style < 0.85 else nodes[: self._random.randint(0, len(nodes))]

    def edges(self, kind: Kind) -> Optional[list[Any]]:
        """Returns the pairs of nodes of which one refers to the other, where a kind means pairs of nodes; else None."""
        if kind[0] != "tuple" or len(kind) != 3 or any(each[0] != "node" for each in kind[1:]):
            return None
        nodes = self._nodes(kind[1][1].end())
        return [(node, other) for node in nodes for other in nodes_of(node.attributes.values()) if refers(node, other)]

    def _nodes(self, shape: Shape) -> list[GraphNode]:
        if id(shape) in self._graphs:
            return self._graphs[id(shape)]
        draw = self._random
        cls = class_with(set(shape.attributes), self._namespace)
        nodes = self._graphs[id(shape)] = []
        for _ in range(draw.choice([1, 2, 3, 3, 4, draw.randint(0, _MOST_NODES)])):
            self._count += 1
            nodes.append(GraphNode(f"node_{self._count}", cls, {}))
        links = {name: kind for name, kind in ((name, self._link(shape, name)) for name in shape.attributes) if kind}
        for node in nodes:
            for name, attribute in shape.attributes.items():
                if name not in links:
                    node.attributes[name] = self._value(attribute.end())
                else:
                    node.attributes[name] = [] if links[name] == "many" else None
            for name in (constructor_names(cls, is_required=True) if cls else set()) - set(node.attributes):
                node.attributes[name] = self._scalar()
        self._connect(nodes, links)
        return nodes

    def _link(self, shape: Shape, name: str) -> Optional[str]:
        """Returns whether an attribute refers to nodes of the same graph: `one`, `many` or None."""
        attribute = shape.attributes[name].end()
        if attribute is shape:
            return "one"
        if attribute.items is not None and attribute.items.end() is shape:
            return "many"
        opposite = _opposite_of(name, shape.attributes)
        if opposite is not None and not attribute.says_something():
            return self._link(shape, opposite) if shape.attributes[opposite].end().says_something() else None
        return None

    def _value(self, shape: Shape) -> Any:
        if shape.is_object():
            return self.node(shape)
        if shape.items is not None:
            return [self._value(shape.items.end()) for _ in range(self._random.randint(0, 3))]
        return self._scalar()

    def _connect(self, nodes: list[GraphNode], links: dict[str, str]) -> None:
        draw = self._random
        done: set[str] = set()
        style = draw.choice(["chain", "chain", "ring", "tree", "any"])
        for name, kind in links.items():
            if name in done:
                continue
            opposite = _opposite_of(name, links)
            done |= {name, *([opposite] if opposite else [])}
            for at, node in enumerate(nodes):
                for other in self._targets(nodes, at, style, kind, sum(1 for each in links if links[each] == "one") > 1):
                    _set_link(node, name, other, kind)
                    if opposite is not None:
                        _set_link(other, opposite, node, links[opposite])

    def _targets(self, nodes: list[GraphNode], at: int, style: str, kind: str, is_branching: bool) -> list[GraphNode]:
        draw = self._random
        after = nodes[at + 1 :]
        if style == "chain" and not is_branching:
            return after[:1]
        if style == "ring" and not is_branching:
            return after[:1] or ([draw.choice(nodes)] if nodes else [])
        if style == "any":
            return draw.sample(nodes, draw.randint(0, min(len(nodes), 1 if kind == "one" else 3)))
        return draw.sample(after, min(len(after), draw.randint(0, 1 if kind == "one" else 2)))


def _set_link(node: GraphNode, name: str, other: GraphNode, kind: str) -> None:
    if kind == "one":
        node.attributes[name] = other
    elif other not in node.attributes[name]:
        node.attributes[name].append(other)


def _opposite_of(name: str, names: Any) -> Optional[str]:
    for one, another in (*_OPPOSITES, *((right, left) for left, right in _OPPOSITES)):
        if one in name and name.replace(one, another) in names and name.replace(one, another) != name:
            return name.replace(one, another)
    return None


def class_with(attributes: set[str], namespace: dict[str, Any]) -> Optional[type]:
    """Returns a class of the project whose objects have some attributes; None if there is none."""
    for value in namespace.values():
        if inspect.isclass(value) and value.__module__ != "builtins" and not issubclass(value, BaseException):
            if attributes <= _attributes_of(value):
                return value
    return None


def _attributes_of(cls: type) -> set[str]:
    names = set(getattr(cls, "__annotations__", ())) | set(vars(cls))
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError):
        return names
    for each in ast.walk(tree):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) and isinstance(each.value, ast.Name):
            if each.value.id == "self":
                names.add(each.attr)
    return names
