"""The team's operation types. The worker and the sweep know exactly those that are listed here."""

from catalog.sync_customer import SyncCustomer

__all__ = ["OPERATION_TYPES", "SyncCustomer"]

OPERATION_TYPES = (SyncCustomer,)
