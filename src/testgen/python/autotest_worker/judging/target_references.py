"""Finds what in a test file means the function under test."""

from __future__ import annotations

import ast
from typing import Any, Optional


def call_name(node: ast.AST) -> Optional[str]:
    """Returns the dotted name of an expression: `mock.patch.object`; None if it is none."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


class TargetReferences:
    """The names by which a file reaches a function: `calculate`, `pricing.calculate`, `Cart`, `.total`."""

    def __init__(self, tree: ast.Module, module: str, description: dict[str, Any]) -> None:
        self.qualname = str(description["qualname"])
        self.module = module
        self.role = str(description["role"])
        self._parts = self.qualname.split(".")
        self.name = self._parts[-1]
        #: Dotted names of the function, or of its outermost class.
        self.owners: set[str] = set()
        #: Dotted names of the module.
        self.modules: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                self._import_from(node)
            elif isinstance(node, ast.Import):
                for each in node.names:
                    if each.name == module:
                        self.modules.add(each.asname or each.name)
        self.owners |= {f"{each}.{self._parts[0]}" for each in self.modules}
        self.is_imported = bool(self.owners)

    def _import_from(self, node: ast.ImportFrom) -> None:
        origin = node.module or ""
        same = origin == self.module or node.level > 0 and self.module.endswith(origin)
        for each in node.names:
            if same and each.name == self._parts[0]:
                self.owners.add(each.asname or each.name)
            elif same and each.name == "*":
                self.owners.add(self._parts[0])
            elif f"{origin}.{each.name}" == self.module or node.level > 0 and each.name == self.module.split(".")[-1]:
                self.modules.add(each.asname or each.name)
            elif self.module.startswith(f"{origin}.") and each.name == self._parts[0]:
                # A package hands on what its module defines.
                self.owners.add(each.asname or each.name)

    @property
    def is_method(self) -> bool:
        return len(self._parts) > 1

    def is_target(self, node: ast.AST) -> bool:
        """Reports whether an expression is the function itself."""
        if not self.is_method:
            return call_name(node) in self.owners
        if self.name in ("__init__", "__new__", "__post_init__"):
            return call_name(node) in self.owners
        return isinstance(node, ast.Attribute) and node.attr == self.name

    def is_use(self, node: ast.AST) -> bool:
        """Reports whether an expression runs the function: a call, or the access to a property."""
        if isinstance(node, ast.Call):
            return self.is_target(node.func) or any(self.is_target(each) for each in node.args)
        return self.role == "property" and self.is_target(node)

    def is_object(self, node: ast.AST) -> bool:
        """Reports whether an expression makes an object of the function's class, whose operators may run it."""
        if not self.is_method or not isinstance(node, ast.Call):
            return False
        name = call_name(node.func) or ""
        return any(name == each or name.startswith(f"{each}.") for each in self.owners)

    @property
    def is_operator(self) -> bool:
        """Whether the function is run by operators and built-in functions, not by its name."""
        return self.is_method and self.name.startswith("__") and self.name.endswith("__")
