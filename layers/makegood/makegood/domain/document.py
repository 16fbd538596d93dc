"""JSON objects as Makegood accepts them: exact, finite, bounded, and hashed the same however they were written.

Payloads and expected fields are stored as JSON text, so a number keeps every digit that was given. What DynamoDB
could not hold as a number (more than 38 significant digits, or an exponent outside -130…125) is refused all the same:
a type may want it as one. Source of those limits: the DynamoDB developer guide, "Constraints", section "Data types".
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import TypeAlias

from makegood.domain.errors import InvalidInput
from makegood.domain.scrub import one_line

Json: TypeAlias = "str | int | Decimal | bool | Sequence[Json] | Mapping[str, Json] | None"
Document: TypeAlias = Mapping[str, Json]

DEPTH_LIMIT = 32
DIGITS_LIMIT = 38
_SMALLEST, _LARGEST = -130, 125
_TEXT_OF_A_NUMBER = 400  #: longer digits are refused before anything tries to convert them
_TOO_LONG = f"a number with more than {DIGITS_LIMIT} significant digits"
_OUTSIDE = f"a number outside 1E{_SMALLEST} to 9.9E+{_LARGEST}"
_SHOWN = 60  #: characters of a key that an error shows
_EXACT = Context(prec=DIGITS_LIMIT + 2, Emin=-10_000, Emax=10_000, traps=[InvalidOperation, Inexact])


def parse(text: str, *, what: str) -> Document:
    """Read a JSON object, keeping numbers exact.

    `what` names the text in errors, such as "payload".

    Raises:
        InvalidInput: not JSON, not an object, duplicate keys, NaN or infinity, or beyond a limit.
    """
    try:
        value = json.loads(
            text,
            parse_float=_number_of_text,
            parse_int=_number_of_text,
            parse_constant=_refuse_constant,
            object_pairs_hook=_object_without_duplicates,
        )
    except RecursionError as error:
        raise InvalidInput(f"{what}: nested deeper than {DEPTH_LIMIT} levels") from error
    except (json.JSONDecodeError, InvalidInput) as error:
        raise InvalidInput(f"{what}: {error}") from error
    return accept(value, what=what)


def accept(value: object, *, what: str) -> Document:
    """Check a value that a program gave; floats become the decimal that they print as.

    Raises:
        InvalidInput: naming the place and what is wrong with it.
    """
    if not isinstance(value, Mapping):
        raise InvalidInput(f"{what}: a JSON object is wanted, not {_kind(value)}")
    return {_text(key, f"{what}: a key"): _accepted(item, _inside(what, key), 2) for key, item in value.items()}


def render(document: Document) -> str:
    """Write a document as compact JSON text that `parse` reads back equal."""
    return "".join(_rendered(document, canonical=False))


def canonical(document: Document) -> str:
    """Write a document so that equal documents give equal text: keys sorted, numbers by value (`10` as `10.00`)."""
    return "".join(_rendered(document, canonical=True))


def fingerprint(*parts: str) -> str:
    """Hash parts of text to 32 hexadecimal digits (SHA-256, truncated); no choice of parts collides by joining."""
    framed = json.dumps(parts).encode("ascii")
    return hashlib.sha256(framed).hexdigest()[:32]


def byte_length(text: str) -> int:
    """Return how many bytes DynamoDB bills for a text."""
    return len(text.encode("utf-8"))


def _number_of_text(text: str) -> int | Decimal:
    if len(text) > _TEXT_OF_A_NUMBER:
        raise InvalidInput(f"a number of {len(text)} characters; at most {DIGITS_LIMIT} significant digits can be kept")
    try:
        return Decimal(text) if set(text) & set(".eE") else int(text)
    except InvalidOperation as error:
        raise InvalidInput(_OUTSIDE) from error


def _refuse_constant(name: str) -> object:
    raise InvalidInput(f"{name} is not a JSON number")


def _object_without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in pairs:
        if name in found:
            raise InvalidInput(f"the key {name[:_SHOWN]!a} is given twice")
        found[name] = value
    return found


def _accepted(value: object, place: str, depth: int) -> Json:
    match value:
        case None | bool():
            return value
        case str():
            return _text(value, place)
        case int() | float() | Decimal():
            return _number(value, place)
        case Mapping() | list() | tuple() if depth > DEPTH_LIMIT:
            raise _refused(place, f"nested deeper than {DEPTH_LIMIT} levels")
        case Mapping():
            return {_text(k, f"{place}: a key"): _accepted(v, _inside(place, k), depth + 1) for k, v in value.items()}
        case list() | tuple():
            return [_accepted(item, f"{place}[{i}]", depth + 1) for i, item in enumerate(value)]
        case _:
            raise _refused(place, f"{_kind(value)} cannot be written as JSON")


def _inside(place: str, key: str) -> str:
    return f"{place[: 2 * _SHOWN]}.{key[:_SHOWN]}"


def _refused(place: str, words: str) -> InvalidInput:
    return InvalidInput(f"{one_line(place, limit=2 * _SHOWN)}: {words}")


def _text(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise _refused(place, f"{_kind(value)} is not text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise _refused(place, "holds half of a surrogate pair, which is not Unicode text") from error
    return value


def _number(value: float | Decimal, place: str) -> int | Decimal:
    exact = _exact(value, place)
    if not exact.is_finite():
        raise _refused(place, f"{exact} is not a JSON number")
    if len("".join(map(str, exact.as_tuple().digits)).strip("0")) > DIGITS_LIMIT:
        raise _refused(place, _TOO_LONG)
    if exact and not _SMALLEST <= exact.adjusted() <= _LARGEST:
        raise _refused(place, _OUTSIDE)
    return int(value) if isinstance(value, int) else exact


def _exact(value: float | Decimal, place: str) -> Decimal:
    if isinstance(value, Decimal):
        return value
    if isinstance(value, float):
        return Decimal(float.__repr__(value))
    if value.bit_length() > 4 * _TEXT_OF_A_NUMBER:
        raise _refused(place, _TOO_LONG)
    return Decimal(value)


def _rendered(value: Json, *, canonical: bool) -> Iterator[str]:
    match value:
        case Mapping():
            items = sorted(value.items()) if canonical else value.items()
            yield from _joined(
                "{}",
                (
                    (json.dumps(key, ensure_ascii=False), ":", *_rendered(item, canonical=canonical))
                    for key, item in items
                ),
            )
        case bool() | None | str():
            yield json.dumps(value, ensure_ascii=False)
        case int() | Decimal():
            yield _by_value(value) if canonical else str(value)
        case _:
            yield from _joined("[]", (tuple(_rendered(item, canonical=canonical)) for item in value))


def _joined(brackets: str, parts: Iterator[tuple[str, ...]]) -> Iterator[str]:
    yield brackets[0]
    for index, part in enumerate(parts):
        yield "," if index else ""
        yield from part
    yield brackets[1]


def _by_value(number: int | Decimal) -> str:
    plain = Decimal(number).normalize(_EXACT)
    return "0" if not plain else f"{plain:E}"


def _kind(value: object) -> str:
    return f"a value of type {type(value).__name__}"
