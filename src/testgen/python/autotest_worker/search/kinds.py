"""Reads annotations: the kinds of values that they allow."""

from __future__ import annotations

import ast
import collections.abc
import enum
import inspect
import sys
import typing
from typing import Any, Optional

from .constraints import Limits, limits_of

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
    if name == "Annotated":
        found = _evaluated(node, namespace)
        return kinds()[0] if found is None else kind_of_type(found, namespace, depth + 1)
    if name in ("Final", "ClassVar", "Required", "NotRequired", "ReadOnly"):
        return kinds()[0]
    if name == "Callable":
        return ("callable", tuple(_kind(each, namespace, depth + 1) for each in getattr(parts[0], "elts", ())), kinds()[-1])
    if name in ("type", "Type"):
        return ANY
    return _kind_of_object(_resolve(ast.unparse(node.value), namespace), namespace, depth)


def _resolve(name: str, namespace: dict[str, Any]) -> Any:
    first, *rest = name.split(".")
    value = namespace.get(first, getattr(sys.modules.get("builtins"), first, None))
    for part in rest:
        value = getattr(value, part, None)
    return value


def _evaluated(node: ast.expr, namespace: dict[str, Any]) -> Any:
    """Returns what an annotation means as an object; None where that cannot be said."""
    try:
        return eval(compile(ast.Expression(node), "<annotation>", "eval"), dict(namespace))  # noqa: S307 - in the sandbox
    except Exception:  # noqa: BLE001 - whatever the project's names do
        return None


def _kind_of_object(value: Any, namespace: dict[str, Any], depth: int) -> Kind:
    return ANY if value is None else kind_of_type(value, namespace, depth)


def kind_of_type(value: Any, namespace: dict[str, Any], depth: int = 0) -> Kind:
    """Returns the kind that an annotation means which is there as an object: a class, a generic, an alias."""
    if depth > 6:
        return ANY
    if value is None or value is type(None):
        return ("none",)
    if isinstance(value, (str, typing.ForwardRef)):
        return kind_of(value if isinstance(value, str) else value.__forward_arg__, namespace, depth + 1)
    if type(value).__name__ == "TypeVar":
        return _kind_of_variable(value, namespace, depth)
    if hasattr(value, "__supertype__"):
        return kind_of_type(value.__supertype__, namespace, depth + 1)
    if type(value).__name__ == "TypeAliasType":
        return kind_of_type(value.__value__, namespace, depth + 1)
    origin = typing.get_origin(value)
    if origin is not None:
        return _kind_of_generic(value, origin, namespace, depth)
    return _kind_of_class(value) if inspect.isclass(value) else ANY


def _kind_of_variable(value: Any, namespace: dict[str, Any], depth: int) -> Kind:
    if value.__constraints__:
        return _union([kind_of_type(each, namespace, depth + 1) for each in value.__constraints__])
    return kind_of_type(value.__bound__, namespace, depth + 1) if value.__bound__ is not None else ("int",)


def _kind_of_generic(value: Any, origin: Any, namespace: dict[str, Any], depth: int) -> Kind:
    args = typing.get_args(value)
    if hasattr(value, "__metadata__"):
        inner = kind_of_type(value.__origin__, namespace, depth + 1)
        limits = limits_of(value.__metadata__)
        return inner if limits == Limits() else ("limited", inner, limits)
    if origin is typing.Literal:
        return ("choice", args)
    if origin is collections.abc.Callable:
        taken = args[0] if args and isinstance(args[0], (list, tuple)) else ()
        return ("callable", tuple(kind_of_type(each, namespace, depth + 1) for each in taken), kind_of_type(args[-1], namespace, depth + 1))
    kinds = [kind_of_type(each, namespace, depth + 1) for each in args if each is not Ellipsis]
    if origin is typing.Union or type(value).__name__ == "UnionType":
        return _union(kinds)
    name = getattr(origin, "__name__", "")
    if origin is tuple and kinds:
        return ("tuple_of", kinds[0]) if Ellipsis in args else ("tuple", *kinds)
    if name in _LISTS:
        return ("list", kinds[0] if kinds else ANY)
    if name in _DICTS:
        return ("dict", *kinds) if len(kinds) == 2 else ("dict", ("str",), ANY)
    if name in _SETS:
        return (_SETS[name], kinds[0] if kinds else ("int",))
    if origin in (type,):
        return ANY
    return _kind_of_class(origin) if inspect.isclass(origin) else ANY


def _kind_of_class(value: type) -> Kind:
    if value.__module__ == "builtins" and value.__name__ in _NAMES:
        return _NAMES[value.__name__]
    if issubclass(value, enum.Enum):
        return ("enum", value)
    known = _STANDARD.get(f"{value.__module__}.{value.__qualname__}")
    if known is not None:
        return (known,)
    if getattr(value, "_is_protocol", False) and getattr(value, "_is_runtime_protocol", False):
        kinds = [kind for sample, kind in _SAMPLES if isinstance(sample, value)]
        if kinds:
            return kinds[0]
    return ("typed_dict", value) if issubclass(value, dict) and hasattr(value, "__total__") else ("object", value)


#: Plain values, of which the first that implements a protocol stands for it.
_SAMPLES: tuple[tuple[Any, Kind], ...] = ((1, ("int",)), (1.5, ("float",)), ("a", ("str",)), (b"a", ("bytes",)), ([1], ("list", ("int",))))
_STANDARD = {
    "datetime.date": "date",
    "datetime.datetime": "datetime",
    "datetime.timedelta": "timedelta",
    "decimal.Decimal": "decimal",
    "fractions.Fraction": "fraction",
    "pathlib.Path": "path",
    "pathlib.PurePath": "pure_path",
    "os.PathLike": "path",
    "datetime.time": "time",
    "datetime.tzinfo": "timezone",
    "datetime.timezone": "timezone",
    "uuid.UUID": "uuid",
    "re.Pattern": "pattern",
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
