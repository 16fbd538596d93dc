"""Expected against observed. Numbers are equal by value; key order and extra fields do not matter.

Many systems answer an amount as text: an expected number agrees with the text of that number. An expected text agrees
with nothing but itself, because `"007"` may be a code, unless the type's policy declares the field a number.

Values are compared as they are, and shown cut and without secrets; where that takes away what differs, it is said.
"""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal

from makegood.domain.document import Document, Json, render
from makegood.domain.evidence import Difference
from makegood.domain.scrub import masked_value

TEXT_LIMIT = 120  #: characters of a value that a difference keeps
UNSEEN = "(another: it differs where it is masked or cut)"
_ABSENT = object()
_JSON_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,99})(\.[0-9]{1,99})?([eE][+-]?[0-9]{1,4})?")


NO_NUMBERS: frozenset[str] = frozenset()


def compare(expected: Document, observed: Document, *, numbers: frozenset[str] = NO_NUMBERS) -> tuple[Difference, ...]:
    """List each expected field that the observed document has otherwise or not at all.

    `numbers` names the fields that are numbers however they are written.
    """
    return tuple(_differences(expected, observed, numbers))


def compare_versions(expected: int, observed: int) -> tuple[Difference, ...]:
    """List the version as a difference unless it is the expected one."""
    if expected == observed:
        return ()
    return (Difference(field="version", expected=str(expected), observed=str(observed)),)


def _differences(expected: Document, observed: Document, numbers: frozenset[str]) -> Iterator[Difference]:
    for field, promised in expected.items():
        found = observed.get(field, _ABSENT)
        wanted = _as_number(promised) if field in numbers else promised
        if found is _ABSENT:
            yield Difference(field=field, expected=_shown(field, promised), observed=None)
        elif not _equal(wanted, found):  # type: ignore[arg-type]
            yield _difference(field, _shown(field, promised), _shown(field, found))  # type: ignore[arg-type]


def _difference(field: str, expected: str, observed: str) -> Difference:
    if expected == observed:
        observed = f"{observed[: TEXT_LIMIT - len(UNSEEN) - 1]} {UNSEEN}"
    return Difference(field=field, expected=expected, observed=observed)


def _equal(wanted: Json, found: Json) -> bool:
    match wanted, found:
        case Mapping(), Mapping():
            return not compare(wanted, found)
        case ((list() | tuple()), (list() | tuple())):
            return len(wanted) == len(found) and all(map(_equal, wanted, found))
        case (bool(), _) | (_, bool()):
            return wanted is found
        case ((int() | Decimal()), (int() | Decimal())):
            return wanted == found
        case ((int() | Decimal()), str()):
            return bool(_JSON_NUMBER.fullmatch(found)) and wanted == Decimal(found)
        case _:
            return type(wanted) is type(found) and wanted == found


def _as_number(value: Json) -> Json:
    """Read a text that is a number as one; anything else stays as it is."""
    return Decimal(value) if isinstance(value, str) and _JSON_NUMBER.fullmatch(value) else value


def _shown(field: str, value: Json) -> str:
    text = masked_value(field, render({"": value})[4:-1])
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"
