"""Objects that refer to each other: nodes of lists, trees and graphs, made by statements instead of one expression."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Callable, Iterator, Optional

#: How a test file says what stands for an object of which only attributes are read.
STAND_IN = '''class StandIn:
    """An object with the attributes that the function reads."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)
'''


class StandIn:
    """As in `STAND_IN`."""

    def __init__(self, **attributes: Any) -> None:
        self.__dict__.update(attributes)


@dataclass(eq=False)
class GraphNode:
    """An object of a graph; what its attributes hold may be other nodes. The name is that of its variable in a test."""

    name: str
    #: None: a stand-in.
    cls: Optional[type]
    attributes: dict[str, Any]


#: (node, None, keywords) makes a node, (node, name, value) sets an attribute of it.
Statement = tuple[GraphNode, Optional[str], Any]


def _nodes_in(values: Any) -> Iterator[GraphNode]:
    for value in values:
        if isinstance(value, GraphNode):
            yield value
        elif isinstance(value, (list, tuple, set, frozenset)):
            yield from _nodes_in(value)
        elif isinstance(value, dict):
            yield from _nodes_in(value.keys())
            yield from _nodes_in(value.values())


def nodes_of(values: Any) -> list[GraphNode]:
    """Returns the nodes that values hold and reach, each once, by name."""
    found: dict[str, GraphNode] = {}
    waiting = list(_nodes_in(values))
    while waiting:
        node = waiting.pop()
        if node.name not in found:
            found[node.name] = node
            waiting += _nodes_in(node.attributes.values())
    return [found[name] for name in sorted(found)]


def refers(node: GraphNode, other: GraphNode) -> bool:
    """Whether an attribute of a node holds the other."""
    return any(each is other for each in _nodes_in(node.attributes.values()))


def statements_of(values: Any) -> list[Statement]:
    """Returns what makes all nodes that values hold: first each node, then attributes that refer to a later one."""
    makes: list[Statement] = []
    sets: list[Statement] = []
    entered: set[str] = set()

    def add(node: GraphNode) -> None:
        entered.add(node.name)
        for each in _nodes_in(node.attributes.values()):
            if each.name not in entered:
                add(each)
        allowed = set(node.attributes) if node.cls is None else constructor_names(node.cls)
        made = {each.name for each, _, _ in makes}
        given = {}
        for name, value in node.attributes.items():
            if name in allowed and all(each.name in made for each in _nodes_in([value])):
                given[name] = value
            else:
                sets.append((node, name, value))
        makes.append((node, None, given))

    for node in _nodes_in(values):
        if node.name not in entered:
            add(node)
    return makes + sets


def make_objects(values: Any, real: Callable[[Any, dict[str, Any]], Any]) -> dict[str, Any]:
    """Returns the objects of all nodes that values hold, by name."""
    objects: dict[str, Any] = {}
    for node, name, value in statements_of(values):
        if name is None:
            keywords = {key: real(each, objects) for key, each in value.items()}
            objects[node.name] = (node.cls or StandIn)(**keywords)
        else:
            setattr(objects[node.name], name, real(value, objects))
    return objects


def constructor_names(cls: type, is_required: bool = False) -> set[str]:
    """Returns the names of the parameters of a class, or of those that it needs."""
    try:
        parameters = inspect.signature(cls).parameters.values()
    except (TypeError, ValueError):
        return set()
    named = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    return {each.name for each in named if not is_required or each.default is each.empty}
