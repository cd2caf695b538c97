"""Describes what a call did: the result, changed arguments and attributes, each as source."""

from __future__ import annotations

from typing import Any, Optional

from ..values.built_objects import Built, real
from ..values.declared_types import conforms
from ..values.object_graphs import make_objects
from ..values.public_views import plain_value, public_views
from ..values.render import Names, NotRenderable, render
from .target import Called, Imports, Input, Outcome, Target

_NO_NAMES: Names = {}
#: Stands for an attribute that is not there, and has no source.
_MISSING = object()


def outcome_of_call(target: Target, given: Input, called: Called, output: str) -> Outcome:
    """Returns what a call did that came to its end."""
    imports: Imports = set()
    names = {id(each): name for name, each in called.objects.items()}
    changed = _changed_arguments(given, called, names, imports)
    changed.update(_changed_attributes(target, given, called.receiver, imports))
    if target.name == "__init__":
        key = f"init|{sorted(changed.items())}|{output}"
        return Outcome("value", key, changed=changed, output=output, value_type="init", imports=imports)
    result = called.result
    source, subclass = _source_of(result, imports, names)
    if source is None:
        attributes = _attributes(result, imports)
        if not attributes and not changed and not output:
            return Outcome("opaque", f"opaque {type(result).__name__}", value_type=type(result).__name__)
        changed.update({view.format("result"): text for view, text in attributes.items()})
    name = "node" if id(result) in names else type(result).__name__
    key = f"{name}|{source}|{sorted(changed.items())}|{output}"
    if called.is_cut:
        imports.add(("itertools", None))
    return Outcome(
        "value", key, source=source, changed=changed, output=output, value_type=_plain_name(result, name, subclass),
        is_cut=called.is_cut, imports=imports, subclass=subclass, conforms=_conforms(target, result),
    )  # fmt: skip


def _conforms(target: Target, result: Any) -> Optional[bool]:
    if target.is_async or target.is_generator or target.is_context_manager or "return" not in target.types:
        return None
    return conforms(result, target.types["return"])


def _source_of(result: Any, imports: Imports, names: Names) -> tuple[Optional[str], str]:
    """Returns the source of a result, and its class where the source is that of a class above it."""
    source = _try(result, imports, names)
    plain = plain_value(result) if source is None else None
    if plain is None:
        return source, ""
    cls = _try(type(result), imports)
    return (None, "") if cls is None else (_try(plain[0], imports, names), cls)


def _plain_name(result: Any, name: str, subclass: str) -> str:
    if not subclass:
        return name
    plain = plain_value(result)
    return name if plain is None else type(plain[0]).__name__


def _changed_arguments(
    given: Input, called: Called, names: Names, imports: Imports
) -> dict[str, str]:
    """Returns the sources of changed arguments by position, and of changed attributes of nodes as `node.attribute`."""
    changed: dict[str, str] = {}
    for at, (before, after) in enumerate(zip(given.args, called.args)):
        if isinstance(before, (list, dict, set, Built)) or type(before).__name__ in ("deque", "bytearray"):
            was = _try(real(before, called.objects), set(), names)
            now = _try(after, imports, names)
            if now is not None and was != now:
                changed[str(at)] = now
    if called.objects:
        unchanged = make_objects([*given.args, *given.kwargs.values()], real)
        former = {id(each): name for name, each in unchanged.items()}
        for node, after in called.objects.items():
            for name, value in getattr(after, "__dict__", {}).items():
                now = _try(value, imports, names)
                if now is not None and now != _try(getattr(unchanged[node], name, _MISSING), set(), former):
                    changed[f"{node}.{name}"] = now
    return changed


def _changed_attributes(target: Target, given: Input, receiver: Any, imports: Imports) -> dict[str, str]:
    """Returns what a call changed of its object: what it shows, or where that stays, what it keeps for itself."""
    if receiver is None:
        return {}
    is_new = target.name == "__init__"
    before = given.receiver.make() if given.receiver is not None and not is_new else None
    shown = _changed_views(dict(public_views(receiver)), {} if before is None else dict(public_views(before)), is_new, imports)
    kept = {f"{{}}.{name}": value for name, value in getattr(receiver, "__dict__", {}).items() if name.isidentifier()}
    former = {f"{{}}.{name}": value for name, value in getattr(before, "__dict__", {}).items()}
    changed = shown or _changed_views(kept, former, is_new, imports)
    return {view.format("self"): text for view, text in changed.items()}


def _changed_views(now: dict[str, Any], before: dict[str, Any], is_new: bool, imports: Imports) -> dict[str, str]:
    changed: dict[str, str] = {}
    for view, value in now.items():
        needed: Imports = set()
        text = _try(value, needed)
        if text is not None and " at 0x" not in text and (is_new or _try(before.get(view, _MISSING), set()) != text):
            changed[view] = text
            imports |= needed
    return changed


def _try(value: Any, imports: Imports, names: Names = _NO_NAMES) -> Optional[str]:
    """Returns the source of a value and adds what it needs; None where there is no source."""
    try:
        text, needed = render(value, names)
    except (NotRenderable, RecursionError, Exception):
        return None
    imports |= needed
    return text


def _attributes(value: Any, imports: Imports) -> dict[str, str]:
    """Returns the expressions over an object, with `{}` for it, whose values can be written down."""
    found = {}
    for view, each in public_views(value):
        text = _try(each, imports)
        if text is not None and " at 0x" not in text:
            found[view] = text
    return found
