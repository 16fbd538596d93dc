"""Lost replies and racing writers, for whichever table answers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING, Any, TypeVar

from tests.contract.worlds import hooked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

T = TypeVar("T")


def losing_first_reply(
    client: Any,  # noqa: ANN401 - botocore makes its classes at run time
    operation: str,
    meanwhile: Callable[[], object] = lambda: None,
) -> AbstractContextManager[None]:
    """Lose the first reply to this operation; something may happen before it is sent again."""
    lost: list[str] = []

    def handler(**_: Any) -> int | None:
        if lost:
            return None
        lost.append(operation)
        meanwhile()
        return 0

    return hooked(client, f"needs-retry.dynamodb.{operation}", handler)


def at_once(writers: Sequence[Callable[[], T]]) -> list[T]:
    """Let every writer start together and return what each was told."""
    barrier = Barrier(len(writers))

    def start(writer: Callable[[], T]) -> T:
        barrier.wait()
        return writer()

    with ThreadPoolExecutor(len(writers)) as pool:
        return list(pool.map(start, writers))
