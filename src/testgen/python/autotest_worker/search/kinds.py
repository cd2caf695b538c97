"""Reads annotations: the kinds of values that they allow."""

from __future__ import annotations

import ast
import enum
import inspect
import sys
from typing import Any, Optional

#: A kind of value: a name, and kinds of its parts.
Kind = tuple[Any, ...]
ANY: Kind = ("any",)
_NAMES: dict[str, Kind] = {
    "int": ("int",),
    "Integral": ("int",),
    "float": ("float",),
    "Real": ("float",),
    "Number": ("float",),
    "complex": ("complex",),
    "str": ("str",),
    "AnyStr": ("str",),
    "Text": ("str",),
    "bool": ("bool",),
    "bytes": ("bytes",),
    "bytearray": ("bytes",),
    "None": ("none",),
    "NoneType": ("none",),
    "list": ("list", ANY),
    "dict": ("dict", ("str",), ANY),
    "set": ("set", ("int",)),
    "frozenset": ("frozenset", ("int",)),
    "tuple": ("tuple", ("int",), ("int",)),
    "object": ANY,
    "Any": ANY,
    "Hashable": ("str",),
}
_LISTS = {"list", "List", "Sequence", "Iterable", "Collection", "MutableSequence", "Iterator", "Generator", "deque"}
_DICTS = {"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict"}
_SETS = {"set": "set", "Set": "set", "AbstractSet": "set", "MutableSet": "set", "frozenset": "frozenset", "FrozenSet": "frozenset"}


def kind_of(annotation: Optional[str], namespace: dict[str, Any], depth: int = 0) -> Kind:
    """Returns the kind that an annotation means, `any` for one that says nothing."""
    if annotation is None or depth > 6:
        return ANY
    try:
        tree = ast.parse(annotation.strip(), mode="eval").body
    except SyntaxError:
        return ANY
    return _kind(tree, namespace, depth)


def _kind(node: ast.expr, namespace: dict[str, Any], depth: int) -> Kind:
    if isinstance(node, ast.Constant):
        if node.value is None:
            return ("none",)
        return kind_of(node.value, namespace, depth + 1) if isinstance(node.value, str) else ANY
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union([_kind(node.left, namespace, depth), _kind(node.right, namespace, depth)])
    if isinstance(node, ast.Subscript):
        return _generic(node, namespace, depth)
    name = ast.unparse(node)
    short = name.split(".")[-1]
    value = _resolve(name, namespace)
    if short in _NAMES and (value is None or inspect.isclass(value) and value.__module__ in ("builtins", "numbers") or short == "Any"):
        return _NAMES[short]
    if short in _LISTS:
        return ("list", ANY)
    if short in _DICTS:
        return ("dict", ("str",), ANY)
    if short in _SETS:
        return (_SETS[short], ("int",))
    if short == "Callable":
        return ("callable",)
    return _kind_of_object(value, namespace, depth)


def _generic(node: ast.Subscript, namespace: dict[str, Any], depth: int) -> Kind:
    name = ast.unparse(node.value).split(".")[-1]
    inner = node.slice
    if type(inner).__name__ == "Index":  # Python 3.8
        inner = inner.value  # type: ignore[attr-defined]
    parts = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
    kinds = lambda: [_kind(part, namespace, depth + 1) for part in parts]  # noqa: E731
    if name == "Optional":
        return _union([*kinds(), ("none",)])
    if name == "Union":
        return _union(kinds())
    if name in _LISTS:
        return ("list", kinds()[0])
    if name in _DICTS and len(parts) == 2:
        return ("dict", *kinds())
    if name in _SETS:
        return (_SETS[name], kinds()[0])
    if name in ("tuple", "Tuple"):
        if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is Ellipsis:
            return ("tuple_of", _kind(parts[0], namespace, depth + 1))
        return ("tuple", *kinds())
    if name == "Literal":
        return ("choice", tuple(part.value for part in parts if isinstance(part, ast.Constant)))
    if name in ("Final", "Annotated", "ClassVar", "Required", "NotRequired"):
        return kinds()[0]
    if name == "Callable":
        return ("callable",)
    if name in ("type", "Type"):
        return ANY
    return _kind_of_object(_resolve(ast.unparse(node.value), namespace), namespace, depth)


def _resolve(name: str, namespace: dict[str, Any]) -> Any:
    first, *rest = name.split(".")
    value = namespace.get(first, getattr(sys.modules.get("builtins"), first, None))
    for part in rest:
        value = getattr(value, part, None)
    return value


def _kind_of_object(value: Any, namespace: dict[str, Any], depth: int) -> Kind:
    if value is None:
        return ANY
    if isinstance(value, str):
        return kind_of(value, namespace, depth + 1)
    if type(value).__name__ == "TypeVar":
        constraints = getattr(value, "__constraints__", ())
        bound = getattr(value, "__bound__", None)
        if constraints:
            return _union([kind_of(type_text(each), namespace, depth + 1) for each in constraints])
        return kind_of(type_text(bound), namespace, depth + 1) if bound is not None else ("int",)
    if inspect.isclass(value):
        if issubclass(value, enum.Enum):
            return ("enum", value)
        known = _STANDARD.get(f"{value.__module__}.{value.__qualname__}")
        if known is not None:
            return (known,)
        return ("object", value)
    text = type_text(value)
    return kind_of(text, namespace, depth + 1) if text and ("[" in text or "|" in text) else ANY


_STANDARD = {
    "datetime.date": "date",
    "datetime.datetime": "datetime",
    "datetime.timedelta": "timedelta",
    "decimal.Decimal": "decimal",
    "fractions.Fraction": "fraction",
    "pathlib.Path": "path",
    "pathlib.PurePath": "path",
}


def type_text(value: Any) -> Optional[str]:
    if value is None:
        return None
    return value.__name__ if inspect.isclass(value) and not getattr(value, "__args__", None) else str(value)


def _union(kinds: list[Kind]) -> Kind:
    flat: list[Kind] = []
    for kind in kinds:
        for each in kind[1] if kind[0] == "union" else (kind,):
            if each not in flat:
                flat.append(each)
    return flat[0] if len(flat) == 1 else ("union", tuple(flat))
