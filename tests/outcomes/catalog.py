"""The catalog that ships, in which a test may let something happen right before a call leaves the worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import catalog

if TYPE_CHECKING:
    from collections.abc import Callable

    from makegood import Accepted, Attempt, Done, NotApplicable

before_a_call: list[Callable[[], None]] = []  #: each happens once


class SyncCustomer(catalog.SyncCustomer):
    """The type that ships, whose worker may be held up."""

    def perform(self, attempt: Attempt) -> Done | Accepted | NotApplicable:
        """Let happen what is to happen, then call the CRM."""
        if before_a_call:
            before_a_call.pop(0)()
        return super().perform(attempt)


OPERATION_TYPES = (SyncCustomer, catalog.ChargeInvoice)
