"""The team's operation types. The worker and the sweep know exactly those that are listed here."""

from catalog.charge_invoice import ChargeInvoice
from catalog.sync_customer import SyncCustomer

__all__ = ["OPERATION_TYPES", "ChargeInvoice", "SyncCustomer"]

OPERATION_TYPES = (SyncCustomer, ChargeInvoice)
