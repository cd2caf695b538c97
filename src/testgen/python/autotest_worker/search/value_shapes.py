"""Shapes of values: the attributes that code reads of them, their items, their keys."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional


@dataclass(eq=False)
class Shape:
    """What the code does with a value: attributes that it reads, items, keys. Shapes that are one are merged."""

    attributes: dict[str, Shape] = field(default_factory=dict)
    items: Optional[Shape] = None
    keys: Optional[Shape] = None
    #: Shapes of the places of a tuple.
    places: dict[int, Shape] = field(default_factory=dict)
    called: bool = False
    #: Whether it is compared with None.
    optional: bool = False
    merged_into: Optional[Shape] = None

    def end(self) -> Shape:
        found = self
        while found.merged_into is not None:
            found = found.merged_into
        return found

    def attribute(self, name: str) -> Shape:
        return self.end().attributes.setdefault(name, Shape()).end()

    def item(self) -> Shape:
        end = self.end()
        if end.items is None:
            end.items = Shape()
        return end.items.end()

    def key(self) -> Shape:
        end = self.end()
        if end.keys is None:
            end.keys = Shape()
        return end.keys.end()

    def is_object(self) -> bool:
        return bool(self.end().attributes)

    def says_something(self) -> bool:
        end = self.end()
        return bool(end.attributes or end.places or end.called or end.items or end.keys)

    def has_objects(self, depth: int = 0) -> bool:
        """Whether it is an object that only attributes are read of, or holds such ones."""
        end = self.end()
        inner = [*([end.items] if end.items else []), *([end.keys] if end.keys else []), *end.places.values()]
        return bool(end.attributes) or depth < 4 and any(each.has_objects(depth + 1) for each in inner)


def merge(left: Shape, right: Shape) -> None:
    left, right = left.end(), right.end()
    if left is right:
        return
    right.merged_into = left
    left.called |= right.called
    left.optional |= right.optional
    for name, each in right.attributes.items():
        if name in left.attributes:
            merge(left.attributes[name], each)
            left = left.end()
        else:
            left.attributes[name] = each
    for at, each in right.places.items():
        if at in left.end().places:
            merge(left.end().places[at], each)
        else:
            left.end().places[at] = each
    for part in ("items", "keys"):
        mine, other = getattr(left.end(), part), getattr(right, part)
        if mine is not None and other is not None:
            merge(mine, other)
        elif other is not None:
            setattr(left.end(), part, other)
