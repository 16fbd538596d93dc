"""DynamoDB's expressions, as far as Makegood writes them: conditions, and updates (ADD and DELETE of number sets).

Source: DynamoDB developer guide, "Condition and filter expressions, operators, and functions", "Update expressions".
Whatever else comes is an error, so that the double never guesses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

Value: TypeAlias = Mapping[str, Any]  #: as the API writes it: {"N": "1"}
Item: TypeAlias = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression looks at: an item, and what its placeholders stand for."""

    item: Item
    names: Mapping[str, str]
    values: Mapping[str, Value]

    def attribute(self, word: str) -> str:
        """Return the name that a word stands for."""
        return self.names[word] if word.startswith("#") else word


Operand: TypeAlias = Callable[[Scope], Value | None]
Condition: TypeAlias = Callable[[Scope], bool]

_TOKEN = re.compile(r"\s*(<=|>=|<>|[=<>(),+]|[#:]?\w+)")
_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: bool(a == b),
    "<>": lambda a, b: bool(a != b),
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
}


@lru_cache(maxsize=4096)
def condition(text: str) -> Condition:
    """Read a condition."""
    reader = _Reader(text)
    read = reader.either()
    reader.end()
    return read


@lru_cache(maxsize=4096)
def update(text: str) -> Callable[[Scope], dict[str, Value]]:
    """Read an update; what comes back makes the new item."""
    reader = _Reader(text)
    sets, removes = reader.assignments(), reader.removals()
    added, deleted = reader.set_change("ADD"), reader.set_change("DELETE")
    reader.end()

    def apply(scope: Scope) -> dict[str, Value]:
        item = dict(scope.item)
        for name, operand in sets:
            value = operand(scope)
            if value is None:
                raise ValueError(f"{scope.attribute(name)} would be set to an attribute that the item does not have")
            item[scope.attribute(name)] = value
        for name in removes:
            item.pop(scope.attribute(name), None)
        for name, word in added:
            _put_set(item, scope.attribute(name), _set_of(scope, name) | set(scope.values[word]["NS"]))
        for name, word in deleted:
            _put_set(item, scope.attribute(name), _set_of(scope, name) - set(scope.values[word]["NS"]))
        return item

    return apply


def _set_of(scope: Scope, name: str) -> set[str]:
    return set(scope.item.get(scope.attribute(name), {"NS": []})["NS"])


def _put_set(item: dict[str, Value], name: str, numbers: set[str]) -> None:
    item.pop(name, None)
    if numbers:
        item[name] = {"NS": sorted(numbers)}


def words(text: str) -> frozenset[str]:
    """Return the placeholders that an expression uses."""
    return frozenset(word for word in re.findall(r"[#:]\w+", text))


class _Reader:
    """Reads from left to right, one token ahead."""

    def __init__(self, text: str) -> None:
        self._tokens = _TOKEN.findall(text)
        if re.sub(r"\s", "", text) != "".join(self._tokens):
            raise ValueError(f"not an expression that is known here: {text}")

    def end(self) -> None:
        """See that nothing is left."""
        if self._tokens:
            raise ValueError(f"not understood: {self._tokens}")

    def either(self) -> Condition:
        """Read conditions joined by OR."""
        parts = [self._both()]
        while self._skip("OR"):
            parts.append(self._both())
        return lambda scope: any(part(scope) for part in parts)

    def _both(self) -> Condition:
        parts = [self._one()]
        while self._skip("AND"):
            parts.append(self._one())
        return lambda scope: all(part(scope) for part in parts)

    def _one(self) -> Condition:
        if self._skip("("):
            inner = self.either()
            self._take(")")
            return inner
        if self._peek() in ("attribute_exists", "attribute_not_exists"):
            wanted = self._next() == "attribute_exists"
            [name] = self._arguments()
            return lambda scope: (scope.attribute(name) in scope.item) is wanted
        if self._skip("attribute_type"):
            name, kind = self._arguments()
            return lambda scope: scope.values[kind]["S"] in scope.item.get(scope.attribute(name), {})
        return self._comparison()

    def _comparison(self) -> Condition:
        left = self._operand()
        if self._skip("IN"):
            choices = [_value(word) for word in self._arguments()]
            return lambda scope: any(_compared(left(scope), "=", choice(scope)) for choice in choices)
        operator = self._next()
        right = self._operand()
        return lambda scope: _compared(left(scope), operator, right(scope))

    def assignments(self) -> list[tuple[str, Operand]]:
        """Read what is SET."""
        found: list[tuple[str, Operand]] = []
        if not self._skip("SET"):
            return found
        while True:
            name = self._next()
            self._take("=")
            found.append((name, self._sum()))
            if not self._skip(","):
                return found

    def removals(self) -> list[str]:
        """Read what is REMOVEd."""
        if not self._skip("REMOVE"):
            return []
        found = [self._next()]
        while self._skip(","):
            found.append(self._next())
        return found

    def set_change(self, verb: str) -> list[tuple[str, str]]:
        """Read what is ADDed to a set, or DELETEd from one."""
        return [(self._next(), self._next())] if self._skip(verb) else []

    def _sum(self) -> Operand:
        first = self._operand()
        if not self._skip("+"):
            return first
        second = self._operand()
        return lambda scope: {"N": str(_number(first(scope)) + _number(second(scope)))}

    def _operand(self) -> Operand:
        if self._skip("if_not_exists"):
            name, other = self._arguments()
            fallback = _value(other)
            return lambda scope: scope.item.get(scope.attribute(name)) or fallback(scope)
        if self._skip("list_append"):
            one, two = (_value(word) for word in self._arguments())
            return lambda scope: {"L": [*_list(one(scope)), *_list(two(scope))]}
        return _value(self._next())

    def _arguments(self) -> list[str]:
        self._take("(")
        found = [self._next()]
        while self._skip(","):
            found.append(self._next())
        self._take(")")
        return found

    def _peek(self) -> str:
        return self._tokens[0] if self._tokens else ""

    def _next(self) -> str:
        return str(self._tokens.pop(0))

    def _skip(self, token: str) -> bool:
        if self._peek() != token:
            return False
        self._next()
        return True

    def _take(self, token: str) -> None:
        if not self._skip(token):
            raise ValueError(f"{token} is wanted before {self._tokens}")


def _value(word: str) -> Operand:
    if word.startswith(":"):
        return lambda scope: scope.values[word]
    return lambda scope: scope.item.get(scope.attribute(word))


def _compared(left: Value | None, operator: str, right: Value | None) -> bool:
    """Compare as DynamoDB does: values of different types are different and have no order."""
    if left is None or right is None or left.keys() != right.keys():
        return operator == "<>" and left is not None
    ((kind, one),) = left.items()
    ((_, other),) = right.items()
    if kind == "N":
        return _COMPARE[operator](Decimal(one), Decimal(other))
    return _COMPARE[operator](one, other)


def _number(value: Value | None) -> Decimal:
    if value is None or "N" not in value:
        raise ValueError("a number is wanted")
    return Decimal(value["N"])


def _list(value: Value | None) -> list[Value]:
    if value is None or "L" not in value:
        raise ValueError("a list is wanted")
    return list(value["L"])
