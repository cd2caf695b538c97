"""Writes values as Python source that makes equal ones."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import math
import pathlib
import re
from typing import Any, Mapping, Optional

from .built_objects import Built, Lambda, Member
from .object_graphs import GraphNode, statements_of
from .project_objects import FactoryObject
from .recorders import DEFINITION, base_of, source_of
from .temporary_paths import FIXTURE, TemporaryPath, path_source, source_of_path, source_of_text, temporary_folder

#: Source text and the imports that it needs, as (module, name); name None: the module itself.
Rendered = tuple[str, frozenset[tuple[str, Optional[str]]]]

Names = Mapping[int, str]
_NO_NAMES: Names = {}
_NONE: frozenset[tuple[str, Optional[str]]] = frozenset()
_TMP_PATH: frozenset[tuple[str, Optional[str]]] = frozenset({(FIXTURE, "tmp_path")})
MAX_LENGTH = 2000


class NotRenderable(Exception):
    """There is no source for a value."""


def render(value: Any, names: Names = _NO_NAMES, depth: int = 0) -> Rendered:
    """Returns source for a value; `names` are the variables that hold objects, by the objects' id. Raises NotRenderable."""
    if depth > 8:
        raise NotRenderable("too deep")
    if id(value) in names:
        return names[id(value)], _NONE
    if isinstance(value, GraphNode):
        return value.name, _NONE
    if value is None or value is True or value is False or type(value) is int:
        return _checked(repr(value), _NONE)
    if type(value) is str and (source := _text_with_folder(value)) is not None:
        return _checked(source, _TMP_PATH)
    if type(value) is str or type(value) is bytes:
        return _checked(quoted(value) if type(value) is str else _quoted_bytes(value), _NONE)
    if type(value) is float:
        return _float(value)
    if type(value) is complex:
        return _checked(repr(value), _NONE)
    if isinstance(value, Built):
        return (value.fixture, frozenset({(FIXTURE, value.fixture)})) if value.fixture else _built(value, names, depth)
    if isinstance(value, Lambda):
        return value.source, _NONE
    if isinstance(value, TemporaryPath):
        source = path_source(value.name)
        return f"str({source})" if value.is_text else source, _TMP_PATH
    if isinstance(value, enum.Enum):
        text, imports = _class(type(value))
        if value.name is None or not value.name.isidentifier():
            return f"{text}({value.value!r})", imports
        return f"{text}.{value.name}", imports
    if type(value) in (list, tuple, set, frozenset):
        return _collection(value, names, depth)
    if type(value) is dict:
        return _dict(value, names, depth)
    return _other(value, names, depth)


def quoted(text: str) -> str:
    """Returns the literal of a text in double quotes, or in single ones where that needs fewer backslashes.

    `repr` uses double quotes only for a text with single quotes alone.
    """
    literal = repr(text)
    if literal[0] == "'" and text.count('"') <= text.count("'"):
        return '"' + literal[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'
    return literal


def _text_with_folder(text: str) -> Optional[str]:
    """Returns the source of a text that names the folder of a test; None for other texts. Raises NotRenderable."""
    folder = temporary_folder()
    if folder is None or folder not in text:
        return None
    source = source_of_text(text)
    if source is None:
        raise NotRenderable("a text with the folder of a test")
    return source


def _quoted_bytes(value: bytes) -> str:
    literal = repr(value)
    return f'b"{literal[2:-1]}"' if literal[1] == "'" and '"' not in literal else literal


def _checked(text: str, imports: frozenset[tuple[str, Optional[str]]]) -> Rendered:
    if len(text) > MAX_LENGTH:
        raise NotRenderable("too long")
    return text, imports


def _float(value: float) -> Rendered:
    if math.isnan(value):
        return 'float("nan")', _NONE
    if math.isinf(value):
        return ('float("inf")' if value > 0 else 'float("-inf")'), _NONE
    return repr(value), _NONE


def _many(values: Any, names: Names, depth: int) -> tuple[list[str], frozenset[tuple[str, Optional[str]]]]:
    texts, imports = [], _NONE
    for each in values:
        text, needed = render(each, names, depth + 1)
        texts.append(text)
        imports |= needed
    return texts, imports


def _collection(value: Any, names: Names, depth: int) -> Rendered:
    texts, imports = _many(value, names, depth)
    if type(value) is list:
        return _checked(f"[{', '.join(texts)}]", imports)
    if type(value) is tuple:
        return _checked(f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})", imports)
    texts.sort()
    if type(value) is set:
        return _checked(f"{{{', '.join(texts)}}}" if texts else "set()", imports)
    return _checked(f"frozenset({{{', '.join(texts)}}})" if texts else "frozenset()", imports)


def _dict(value: dict[Any, Any], names: Names, depth: int) -> Rendered:
    keys, imports = _many(value.keys(), names, depth)
    values, more = _many(value.values(), names, depth)
    return _checked("{" + ", ".join(f"{key}: {each}" for key, each in zip(keys, values)) + "}", imports | more)


def _class(cls: type) -> Rendered:
    definition = source_of(cls)
    if definition is not None:
        base = base_of(cls)
        needed = _NONE if base is None else frozenset({(base.__module__, base.__qualname__)})
        return cls.__qualname__, needed | {(DEFINITION, definition)}
    if "<locals>" in cls.__qualname__ or cls.__module__ == "__main__":
        raise NotRenderable(cls.__qualname__)
    first = cls.__qualname__.split(".")[0]
    if cls.__module__ == "builtins":
        return cls.__qualname__, _NONE
    return cls.__qualname__, frozenset({(cls.__module__, first)})


def _call(cls: type, arguments: list[str], imports: frozenset[tuple[str, Optional[str]]]) -> Rendered:
    text, needed = _class(cls)
    return _checked(f"{text}({', '.join(arguments)})", imports | needed)


def _built(value: Built, names: Names, depth: int) -> Rendered:
    if isinstance(value, Member):
        text, imports = _class(value.cls)
        return f"{text}.{value.name}", imports
    if value.calls:
        raise NotRenderable("an object that methods are called on needs statements")
    texts, imports = _many(value.arguments, names, depth)
    named, more = _many(value.keywords.values(), names, depth)
    listed = [*texts, *(f"{name}={text}" for name, text in zip(value.keywords, named))]
    if isinstance(value, FactoryObject) and value.function is not None:
        made = (value.function.__module__, value.function.__name__)
        return _checked(f"{made[1]}({', '.join(listed)})", imports | more | {made})
    return _call(value.cls, listed, imports | more)


def _other(value: Any, names: Names, depth: int) -> Rendered:
    cls = type(value)
    name = f"{cls.__module__}.{cls.__qualname__}"
    if isinstance(value, tuple) and hasattr(cls, "_fields"):
        texts, imports = _many(value, names, depth)
        return _call(cls, [f"{field}={text}" for field, text in zip(cls._fields, texts)], imports)
    if dataclasses.is_dataclass(value) and cls.__eq__ is not object.__eq__:
        fields = [each for each in dataclasses.fields(value) if each.init]
        texts, imports = _many([getattr(value, each.name) for each in fields], names, depth)
        return _call(cls, [f"{each.name}={text}" for each, text in zip(fields, texts)], imports)
    if name in ("collections.OrderedDict", "collections.Counter", "collections.defaultdict"):
        return _dict(dict(value), names, depth)
    if name in ("collections.deque", "range", "builtins.range"):
        texts, imports = _many(list(value), names, depth)
        if name == "collections.deque":
            return _call(cls, [f"[{', '.join(texts)}]"], imports)
        return _checked(repr(value), _NONE)
    if name == "builtins.bytearray":
        return _checked(repr(value), _NONE)
    model = getattr(cls, "model_fields", None)
    if isinstance(model, dict) and isinstance(getattr(value, "model_fields_set", None), set):
        given = [each for each in model if each in value.model_fields_set]
        aliases = [getattr(model[each], "validation_alias", None) or getattr(model[each], "alias", None) or each for each in given]
        return _keyword_call(cls, aliases, [getattr(value, each) for each in given], names, depth)
    if hasattr(cls, "__attrs_attrs__") and cls.__eq__ is not object.__eq__:
        fields = [each for each in cls.__attrs_attrs__ if each.init]
        aliases = [getattr(each, "alias", None) or each.name.lstrip("_") for each in fields]
        return _keyword_call(cls, aliases, [getattr(value, each.name) for each in fields], names, depth)
    if name == "uuid.UUID":
        return _call(cls, [quoted(str(value))], _NONE)
    if name == "re.Pattern":
        return _pattern(value)
    if name in ("decimal.Decimal", "fractions.Fraction"):
        return _call(cls, [quoted(str(value))], _NONE)
    if name in ("datetime.date", "datetime.datetime", "datetime.timedelta", "datetime.time"):
        return _moment(value)
    if name == "datetime.timezone":
        return _zone(value)
    if name == "zoneinfo.ZoneInfo" and value.key:
        return _call(cls, [quoted(value.key)], _NONE)
    if cls.__module__.startswith("pathlib"):
        source = source_of_path(value)
        if source is not None:
            return _checked(source, _TMP_PATH)
        kind = "Path" if isinstance(value, pathlib.Path) else cls.__name__
        return _checked(f"{kind}({quoted(str(value))})", frozenset({("pathlib", kind)}))
    if isinstance(value, type):
        return _class(value)
    if isinstance(value, Exception) and all(type(each) in (str, int) for each in value.args):
        texts, imports = _many(value.args, names, depth)
        return _call(cls, texts, imports)
    if callable(value) and getattr(value, "__module__", None) == "builtins" and hasattr(value, "__name__"):
        return value.__name__, _NONE
    raise NotRenderable(name)


def _keyword_call(cls: type, keys: Any, values: list[Any], names: Names, depth: int) -> Rendered:
    if not all(isinstance(key, str) and key.isidentifier() for key in keys):
        raise NotRenderable(cls.__qualname__)
    texts, imports = _many(values, names, depth)
    return _call(cls, [f"{key}={text}" for key, text in zip(keys, texts)], imports)


def _pattern(value: Any) -> Rendered:
    arguments = [quoted(value.pattern) if isinstance(value.pattern, str) else _quoted_bytes(value.pattern)]
    # What `compile` sets by itself for texts is left out.
    flags = value.flags & ~(re.UNICODE if isinstance(value.pattern, str) else 0)
    if flags:
        arguments.append(" | ".join(f"re.{each.name}" for each in re.RegexFlag if each & flags and each.name in re.RegexFlag.__members__))
    return _checked(f"re.compile({', '.join(arguments)})", frozenset({("re", None)}))


def _moment(value: Any) -> Rendered:
    """A date, a time, a moment or a time between two of them."""
    cls = type(value)
    imports = frozenset({("datetime", cls.__name__)})
    zone = getattr(value, "tzinfo", None)
    if zone is None:
        return _checked(f"{cls.__name__}({repr(value).split('(', 1)[1]}", imports)
    text = repr(value.replace(tzinfo=None)).split("(", 1)[1][:-1]
    named, needed = render(zone)
    return _checked(f"{cls.__name__}({text}, tzinfo={named})", imports | needed)


def _zone(value: datetime.timezone) -> Rendered:
    if value == datetime.timezone.utc:
        return "timezone.utc", frozenset({("datetime", "timezone")})
    text, imports = _moment(value.utcoffset(None))
    return _checked(f"timezone({text})", imports | {("datetime", "timezone")})


def graph_lines(values: list[Any]) -> list[Rendered]:
    """Returns the statements that make the nodes of graphs in values."""
    lines: list[Rendered] = []
    for node, name, value in statements_of(values):
        if name is not None:
            text, imports = render(value)
            lines.append((f"{node.name}.{name} = {text}", imports))
            continue
        cls, imports = _class(node.cls) if node.cls is not None else ("StandIn", _NONE)
        texts, needed = _many(value.values(), _NO_NAMES, 0)
        listed = ", ".join(f"{key}={text}" for key, text in zip(value, texts))
        lines.append((f"{node.name} = {cls}({listed})", imports | needed))
    return lines


def built_lines(name: str, value: Built, names: Names = _NO_NAMES) -> list[Rendered]:
    """Returns the statements that make an object and call methods on it; `names` are those of other objects."""
    text, imports = _built(dataclasses.replace(value, calls=[]), names, 0)
    lines: list[Rendered] = [(f"{name} = {text}", imports)]
    for method, values in value.calls:
        texts, needed = _many(values, names, 0)
        lines.append((f"{name}.{method}({', '.join(texts)})", needed))
    return lines
