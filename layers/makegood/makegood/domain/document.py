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

Json: TypeAlias = "str | int | Decimal | bool | Sequence[Json] | Mapping[str, Json] | None"
Document: TypeAlias = Mapping[str, Json]

DEPTH_LIMIT = 32
DIGITS_LIMIT = 38
_SMALLEST, _LARGEST = -130, 125
_TEXT_OF_A_NUMBER = 400  #: longer digits are refused before anything tries to convert them
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
    return {_text(key, f"{what}: a key"): _accepted(item, f"{what}.{key}", 2) for key, item in value.items()}


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
    return Decimal(text) if set(text) & set(".eE") else int(text)


def _refuse_constant(name: str) -> object:
    raise InvalidInput(f"{name} is not a JSON number")


def _object_without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise InvalidInput(f"the key {next(n for n in names if names.count(n) > 1)!r} is given twice")
    return found


def _accepted(value: object, place: str, depth: int) -> Json:
    if depth > DEPTH_LIMIT + 1:
        raise InvalidInput(f"{place[:120]}: nested deeper than {DEPTH_LIMIT} levels")
    match value:
        case None | bool():
            return value
        case str():
            return _text(value, place)
        case int() | float() | Decimal():
            return _number(value, place)
        case Mapping():
            return {_text(k, f"{place}: a key"): _accepted(v, f"{place}.{k}", depth + 1) for k, v in value.items()}
        case list() | tuple():
            return [_accepted(item, f"{place}[{i}]", depth + 1) for i, item in enumerate(value)]
        case _:
            raise InvalidInput(f"{place}: {_kind(value)} cannot be written as JSON")


def _text(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{place}: {_kind(value)} is not text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{place[:120]!a}: holds half of a surrogate pair, which is not Unicode text") from error
    return value


def _number(value: float | Decimal, place: str) -> int | Decimal:
    if isinstance(value, float):
        value = Decimal(repr(value))
    exact = value if isinstance(value, Decimal) else _decimal(value, place)
    if not exact.is_finite():
        raise InvalidInput(f"{place}: {exact} is not a JSON number")
    try:
        plain = exact.normalize(_EXACT)
    except (Inexact, InvalidOperation):
        plain = None
    if plain is None or len(plain.as_tuple().digits) > DIGITS_LIMIT:
        raise InvalidInput(f"{place}: a number with more than {DIGITS_LIMIT} significant digits")
    if plain and not _SMALLEST <= plain.adjusted() <= _LARGEST:
        raise InvalidInput(f"{place}: a number outside 1E{_SMALLEST} to 9.9E+{_LARGEST}")
    return value


def _decimal(value: int, place: str) -> Decimal:
    if value.bit_length() > 4 * _TEXT_OF_A_NUMBER:
        raise InvalidInput(f"{place}: a number with more than {DIGITS_LIMIT} significant digits")
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
