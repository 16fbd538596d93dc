"""Is a type that could do harm kept out, and one that is let in built once, when it is needed?"""

from collections.abc import Iterator
from typing import Any

import pytest
from makegood.domain.errors import InvalidInput, UnsafePolicy
from makegood.domain.operation_type import OperationType
from makegood.domain.policy import Policy
from makegood.domain.registry import Registry

from tests.support.remote import Nowhere, Remote, calling
from tests.support.rows import LIMITS, MINUTE


def registry(*types: type[OperationType]) -> Registry:
    return Registry(types, limits=LIMITS, remotes=Nowhere())


def of(name: str, **policy: Any) -> type[OperationType]:
    return calling(Remote(), name, **policy)


def test_a_types_terms_are_its_policy_under_the_deployments_numbers() -> None:
    known = registry(of("sync", max_attempts=3), of("charge"))
    assert (known.terms_of("sync").max_attempts, known.terms_of("charge").max_attempts) == (3, 8)
    assert set(known.terms) == {"sync", "charge"}


def test_an_unsafe_type_is_not_registered_and_is_named_with_both_numbers() -> None:
    with pytest.raises(UnsafePolicy, match=r"operation type charge is not registered: .*\(60 s\).*\(50 s\)"):
        registry(of("sync"), of("charge", client_timeout=MINUTE))


def test_two_types_of_one_name_are_refused() -> None:
    with pytest.raises(UnsafePolicy, match="sync: two classes carry this name"):
        registry(of("sync"), of("sync"))


@pytest.mark.parametrize("name", ["", "Sync", "a" * 65, "sync customer"])
def test_a_name_that_no_row_could_carry_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="operation type"):
        registry(of(name))


def test_a_type_is_built_when_it_is_first_needed_and_only_once() -> None:
    built: list[object] = []

    class Counted(of("sync")):  # type: ignore[misc]
        def __init__(self, remotes: Nowhere) -> None:
            super().__init__(remotes)
            built.append(self)

    known = registry(Counted)
    assert built == []
    assert known.build("sync") is known.build("sync")
    assert len(built) == 1


def test_a_type_that_is_not_known_is_refused_and_the_known_are_named() -> None:
    with pytest.raises(InvalidInput, match="'charge' is not known here; known are: sync"):
        registry(of("sync")).build("charge")
    with pytest.raises(InvalidInput, match="known are: none"):
        registry().terms_of("sync")


def odd(**said: Any) -> type[OperationType]:
    """Make a class that says this of itself; `None` means that it says nothing."""
    usual = {"name": "odd", "policy": Policy(idempotent=True), "perform": lambda _, __: None}
    return type(
        "Odd", (OperationType,), {name: value for name, value in {**usual, **said}.items() if value is not None}
    )


async def awaited(*_: object) -> None:
    """Be what nobody awaits."""


def iterated(*_: object) -> Iterator[None]:
    """Be what nobody iterates."""
    yield


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (odd(policy=None), "odd is not registered: its policy must be a Policy"),
        (odd(policy={"idempotent": True}), "odd is not registered: its policy must be a Policy"),
        (odd(policy=Policy), "odd is not registered: its policy must be a Policy"),
        (odd(name=None), "Odd is not registered: its name must be a text"),
        (odd(name=5), "Odd is not registered: its name must be a text"),
        (odd(name=property(lambda _: "odd")), "Odd is not registered: its name must be a text"),
        (odd(perform=None), "odd is not registered: it has no perform"),
        (odd(perform=awaited), "odd is not registered: its perform must be a plain function"),
        (odd(perform=iterated), "odd is not registered: its perform must be a plain function"),
        (odd(compensate=awaited), "odd is not registered: its compensate must be a plain function"),
        (odd()(Nowhere()), "is no operation type: a class that derives from OperationType is wanted"),
        (dict, "is no operation type"),
        ("sync", "is no operation type"),
    ],
)
def test_what_is_no_operation_type_is_refused_in_words_before_anything_is_promised(cls: Any, words: str) -> None:  # noqa: ANN401 - anything
    with pytest.raises(UnsafePolicy, match=words):
        registry(cls)
