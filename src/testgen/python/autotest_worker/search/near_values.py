"""Values that differ a little from others."""

from __future__ import annotations

import datetime
import random
from typing import Any

from ..values.built_objects import Built, hashable, is_hashable
from ..values.object_graphs import GraphNode


class NearValues:
    """Makes values beside others, the same ones for the same seed; texts get pieces of those of the function."""

    def __init__(self, draw: random.Random, texts: list[str]) -> None:
        self._random = draw
        self._texts = texts

    def neighbour(self, value: Any) -> Any:
        """Returns a value that differs a little."""
        draw = self._random
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            return draw.choice([value + 1, value - 1, -value, value * 2, value // 2, value + draw.randint(-9, 9)])
        if isinstance(value, float):
            return draw.choice([value + 1, value - 0.5, -value, value * 2, round(value / 3, 2)])
        if isinstance(value, str):
            return self._near_text(value)
        if isinstance(value, bytes):
            at = draw.randint(0, len(value))
            piece = bytes([draw.choice([0, 9, 10, 32, 61, 95, 127, 255, draw.randint(0, 255)])])
            return draw.choice([value[:at] + piece + value[at:], value[:at] + value[at + 1 :], value[:at] + piece + value[at + 1 :], piece])
        if isinstance(value, list):
            return self._near_list(value)
        if isinstance(value, tuple) and type(value) is tuple:
            return tuple(self.changed_item(list(value)))
        if isinstance(value, dict):
            return self._near_dict(value)
        if isinstance(value, (set, frozenset)):
            return type(value)(hashable(self._near_list(sorted(value, key=repr))))
        if isinstance(value, datetime.datetime):
            return value + datetime.timedelta(minutes=draw.choice([1, -1, 60, -60, 180, 720, -720, 1440, -1440, 10080]))
        if isinstance(value, datetime.date):
            return value + datetime.timedelta(days=draw.choice([1, -1, 7, -7, 30, -30, 365]))
        if isinstance(value, datetime.timedelta):
            return value + datetime.timedelta(minutes=draw.choice([1, -1, 60, -60, 1440, -1440]))
        if isinstance(value, Built):
            return value.neighbour(self.changed_item)
        return value

    def change_node(self, node: GraphNode, nodes: list[GraphNode]) -> None:
        """Changes an attribute of a node: another value, another node."""
        draw = self._random
        if not node.attributes:
            raise ValueError("a node without attributes")
        name = draw.choice(list(node.attributes))
        value = node.attributes[name]
        if isinstance(value, GraphNode) or value is None:
            node.attributes[name] = draw.choice([*nodes, None])
        elif isinstance(value, list) and all(isinstance(each, GraphNode) for each in value):
            node.attributes[name] = draw.sample(nodes, draw.randint(0, min(3, len(nodes))))
        else:
            node.attributes[name] = self.neighbour(value)

    def _near_text(self, value: str) -> str:
        draw = self._random
        at = draw.randint(0, len(value))
        piece = draw.choice([draw.choice(value) if value else "a", draw.choice("aZ0 ,.-"), *(self._texts[:6] or ["x"])])
        return draw.choice(
            [
                value[:at] + piece + value[at:],
                value[:at] + value[at + 1 :],
                value[::-1],
                value.upper(),
                value.swapcase(),
                value + value[:2],
                value[:at] + piece + value[at + 1 :],
                " " + value,
            ]
        )[:80]

    def _near_list(self, value: list[Any]) -> list[Any]:
        draw = self._random
        if not value:
            return [draw.randint(0, 3)]
        changed = list(value)
        style = draw.randint(0, 5)
        at = draw.randrange(len(changed))
        if style == 0:
            del changed[at]
        elif style == 1:
            changed.insert(draw.randint(0, len(changed)), changed[at])
        elif style == 2:
            changed.reverse()
        elif style == 3:
            draw.shuffle(changed)
        elif style == 4:
            changed.append(self.neighbour(changed[at]))
        else:
            return self.changed_item(changed)
        return changed

    def changed_item(self, value: list[Any]) -> list[Any]:
        if value:
            at = self._random.randrange(len(value))
            value[at] = self.neighbour(value[at])
        return value

    def _near_dict(self, value: dict[Any, Any]) -> dict[Any, Any]:
        changed = dict(value)
        keys = list(changed)
        if keys and self._random.random() < 0.3:
            del changed[self._random.choice(keys)]
        elif keys and self._random.random() < 0.7:
            key = self._random.choice(keys)
            changed[key] = self.neighbour(changed[key])
        elif keys:
            key = self._random.choice(keys)
            other = self.neighbour(key)
            if is_hashable(other):
                changed[other] = changed[key]
        return changed
