"""Objects of classes, from values of what their classes declare: fields of pydantic, attrs and dataclasses, parameters."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import random
import sys
import typing
from typing import Any, Callable, Iterator, Optional

from ..values.built_objects import Built, Member
from ..values.recorders import DEFINITION, base_of, members, recording, source_of
from .constraints import Limits, limits_of
from .kinds import Kind, kind_of_type
from .parameter_kinds import kind_of_value
from .time_limit import TooLong, limited

#: How often arguments are drawn before a class is taken to refuse all.
_TRIES = 30
_DEEPEST = 3
#: Processor time of a constructor.
_PATIENCE = 0.5
#: How often an abstract class is implemented by one that records, where the project has implementations.
_RECORDED = 0.4
#: How often a value is given for what has a default.
_GIVEN = 0.6


class Unmakeable(ValueError):
    """No value of a kind can be made; the message says why, to a person."""


@dataclasses.dataclass(frozen=True)
class _Field:
    name: str
    kind: Kind
    is_required: bool
    is_keyword: bool


class ClassValues:
    """Makes objects; `make` makes the values that they are made of."""

    def __init__(self, draw: random.Random, namespace: dict[str, Any], make: Callable[[Kind, int], Any]) -> None:
        self._random = draw
        self._namespace = namespace
        self._make = make
        self._fields: dict[type, list[_Field]] = {}
        #: Classes that refused all, and why.
        self._refused: dict[type, str] = {}

    def instance(self, cls: type, depth: int) -> Built:
        """Returns an object of a class. Raises Unmakeable with the reason."""
        if cls in self._refused:
            raise Unmakeable(self._refused[cls])
        if issubclass(cls, enum.Enum):
            members = list(cls)
            if not members:
                raise Unmakeable(f"{cls.__name__} has no members")
            return Member.of_member(self._random.choice(members))
        made = self._concrete(cls)
        if depth > _DEEPEST:
            raise Unmakeable(f"{cls.__name__} is nested too deep")
        problem: Optional[BaseException] = None
        for at in range(_TRIES):
            try:
                # The last ones are given little but what is required: a default is what its class takes.
                arguments, keywords = self._arguments(made, depth, _GIVEN * (1 - at / (_TRIES - 1)))
                with limited(_PATIENCE):
                    built = Built.of(made, arguments, keywords)
            except Unmakeable:
                raise
            except (Exception, SystemExit, TooLong) as error:  # noqa: BLE001 - whatever the project's class raises
                problem = error
                if isinstance(error, TooLong):
                    break
                continue
            self._require_value(made, built)
            return built
        reason = f"{type(problem).__name__}: {problem}".split("\n", 1)[0][:160]
        self._refused[cls] = f"no {_named(cls)} could be made ({reason})"
        raise Unmakeable(self._refused[cls])

    def typed_dict(self, cls: Any, depth: int) -> dict[str, Any]:
        """Returns a dictionary with the keys that a class declares, all or only the required ones."""
        if depth > _DEEPEST:
            raise Unmakeable(f"{cls.__name__} is nested too deep")
        hints = _hints(cls)
        required = getattr(cls, "__required_keys__", frozenset(hints))
        names = [each for each in hints if each in required or self._random.random() < _GIVEN]
        return {name: self._make(kind_of_type(hints[name], self._around(cls)), depth + 1) for name in names}

    def _concrete(self, cls: type) -> type:
        """Returns the class, or one below it that can be called where it is abstract. Raises Unmakeable."""
        if not _is_abstract(cls):
            return cls
        below = [each for each in _subclasses(cls) if not _is_abstract(each) and source_of(each) is None]
        if not below or self._random.random() < _RECORDED:
            try:
                return recording(cls)
            except ValueError as error:
                if not below:
                    what = "a protocol" if getattr(cls, "_is_protocol", False) else "abstract"
                    raise Unmakeable(f"{_named(cls)} is {what}, and no class of the project implements it; {error}") from error
        return self._random.choice(sorted(below, key=lambda each: each.__qualname__))

    def _require_value(self, cls: type, built: Built) -> None:
        """Objects of other packages are taken where they are values: two that are made alike are equal.

        Frames, arrays, sessions and clients are none, and what a test says of an empty one is worth nothing.
        """
        if not _is_foreign(cls):
            return
        try:
            is_value = (built.make() == built.make()) is True
        except Exception:  # noqa: BLE001
            is_value = False
        if not is_value:
            reason = f"it takes a {_named(cls)}, for which no values are made; a fixture in conftest.py would be used"
            self._refused[cls] = reason
            raise Unmakeable(reason)

    def _arguments(self, cls: type, depth: int, given: float) -> tuple[list[Any], dict[str, Any]]:
        arguments: list[Any] = []
        keywords: dict[str, Any] = {}
        is_positional = True
        for each in self._fields_of(cls):
            if not each.is_required and self._random.random() >= given:
                is_positional = False
                continue
            try:
                value = self._make(each.kind, depth + 1)
            except ValueError:
                if each.is_required:
                    raise
                is_positional = False
                continue
            if each.is_keyword or not is_positional:
                keywords[each.name] = value
            else:
                arguments.append(value)
        return arguments, keywords

    def _fields_of(self, cls: type) -> list[_Field]:
        found = self._fields.get(cls)
        if found is None:
            found = self._fields[cls] = list(self._read_fields(cls))
        return found

    def _read_fields(self, cls: type) -> Iterator[_Field]:
        around = self._around(cls)
        base = base_of(cls) if source_of(cls) is not None else None
        if base is not None:
            for name, annotation in members(base):
                kind = kind_of_type(annotation, self._around(base))
                yield _Field(name, kind, kind != ("none",) and name in vars(cls), True)
            return
        model = getattr(cls, "model_fields", None)
        if isinstance(model, dict):
            for name, info in model.items():
                alias = getattr(info, "validation_alias", None) or getattr(info, "alias", None)
                kind = _limited(kind_of_type(info.annotation, around), limits_of(info.metadata))
                yield _Field(alias if isinstance(alias, str) else name, kind, info.is_required(), True)
            return
        try:
            signature = inspect.signature(cls)
        except (TypeError, ValueError) as error:
            raise Unmakeable(f"no {_named(cls)} can be made: nothing says what it is made of") from error
        hints = {**_hints(getattr(cls, "__init__", cls)), **_hints(cls)}
        validators = {each.name.lstrip("_"): each for each in getattr(cls, "__attrs_attrs__", ())}
        for parameter in signature.parameters.values():
            if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                continue
            annotation = hints.get(parameter.name, parameter.annotation)
            kind = kind_of_value(parameter.default) if annotation is parameter.empty else kind_of_type(annotation, around)
            options = _options(getattr(validators.get(parameter.name), "validator", None))
            yield _Field(
                parameter.name,
                ("choice", options) if options else kind,
                parameter.default is parameter.empty,
                parameter.kind is parameter.KEYWORD_ONLY,
            )

    def _around(self, cls: type) -> dict[str, Any]:
        return {**vars(sys.modules.get(cls.__module__) or object), **self._namespace}


def _limited(kind: Kind, limits: Limits) -> Kind:
    return kind if limits == Limits() else ("limited", kind, limits)


def _options(validator: Any) -> tuple[Any, ...]:
    """Returns the values that `attrs.validators.in_` allows."""
    options = getattr(validator, "options", None)
    try:
        return tuple(options)[:50] if options is not None else ()
    except TypeError:
        return ()


def _hints(of: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(of, include_extras=True)
    except Exception:  # noqa: BLE001 - names that exist for type checkers only
        found: dict[str, Any] = {}
        for each in reversed(getattr(of, "__mro__", (of,))):
            found.update(getattr(each, "__annotations__", {}))
        return found


def _is_abstract(cls: type) -> bool:
    return inspect.isabstract(cls) or bool(getattr(cls, "_is_protocol", False))


def _subclasses(cls: type) -> Iterator[type]:
    for each in type.__subclasses__(cls):
        # Also one that its base refused is there until it is collected.
        if each.__module__ == DEFINITION:
            continue
        yield each
        yield from _subclasses(each)


def _is_foreign(cls: type) -> bool:
    """Whether a class is of an installed package: neither of the project nor of the standard library."""
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None) or ""
    first = cls.__module__.split(".")[0]
    if first in getattr(sys, "stdlib_module_names", ()) or cls.__module__ == "builtins":
        return False
    return "site-packages" in file or "dist-packages" in file


def _named(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}" if _is_foreign(cls) else cls.__qualname__
