"""What is taken of an outside system's answer: compared in full, kept in short."""

from makegood.domain import document
from makegood.domain.document import Document, Json
from makegood.domain.errors import InvalidInput
from makegood.domain.evidence import Difference
from makegood.domain.operation import VERSION_LIMIT, Operation
from makegood.domain.policy import Terms
from makegood.domain.scrub import masked_value, one_line
from makegood.domain.verdict import compare, compare_versions

ID_LIMIT = 256  #: characters of a remote's id that are kept
COMPARED_LIMIT = 20  #: fields that a stored verdict lists
VALUE_LIMIT = 256  #: characters of an observed value that differs


def differences(operation: Operation, version: int | None, fields: Document, terms: Terms) -> tuple[Difference, ...]:
    """List what an answer says otherwise than was promised, or not at all; a version left unsaid is none."""
    by_version = () if version is None else compare_versions(operation.expected_version, version)
    return (*by_version, *compare(operation.expected_fields, fields, numbers=terms.policy.numbers))


def compared_names(operation: Operation) -> tuple[str, ...]:
    """Name what is compared, as a stored verdict lists it."""
    return ("version", *operation.expected_fields)[:COMPARED_LIMIT]


def kept_fields(operation: Operation, found: Document, terms: Terms) -> Document:
    """Keep what was compared and nothing else: what agrees as it was expected, and the first of what differs.

    What differs is kept cut and without secrets, or not at all where that would make it look as expected.
    """
    wanted, numbers = operation.expected_fields, terms.policy.numbers
    agreed = {name: value for name, value in wanted.items() if not compare({name: value}, found, numbers=numbers)}
    differing = [name for name in wanted if name in found and name not in agreed]
    kept = {name: _kept(name, found[name]) for name in differing[:COMPARED_LIMIT]}
    unlike = {name: value for name, value in kept.items() if compare({name: wanted[name]}, kept, numbers=numbers)}
    return {**agreed, **unlike}


def whole_version(version: object) -> int | None:
    """Take a version as a whole number; a team's code may hand on whatever the remote wrote.

    Raises:
        InvalidInput: it is none.
    """
    if version is None:
        return None
    if isinstance(version, bool) or not isinstance(version, int) or not 0 <= version <= VERSION_LIMIT:
        raise InvalidInput(f"the answer's version ({type(version).__name__}) is no whole number up to 2^63-1")
    return version


def kept_id(remote_id: object) -> str | None:
    """Keep a remote's id as one line, unmasked: a number that looks like a card's may be just that id."""
    return one_line(str(remote_id), limit=ID_LIMIT) if remote_id is not None else None


def _kept(name: str, value: Json) -> Json:
    whole = document.render({"": value})[4:-1]
    text = masked_value(name, whole)
    if len(text) > VALUE_LIMIT:
        return text[: VALUE_LIMIT - 1] + "…"
    return value if text == whole else text
