"""Do the team's own types withstand what the fault kit puts them through, at the local stack's remote?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog import ChargeInvoice, SyncCustomer
from makegood.testing import Fault, put_on_trial

from tests.catalog.crm_double import CrmDouble

if TYPE_CHECKING:
    from tests.local_crm import LocalCrm


def test_sync_customer_withstands_every_fault(crm: LocalCrm) -> None:
    double = CrmDouble(crm)
    report = put_on_trial(SyncCustomer, double, double.promise)
    report.assert_sound()
    assert not report.left_out


def test_a_charge_is_taken_once_at_most_and_otherwise_a_persons(crm: LocalCrm) -> None:
    double = CrmDouble(crm, can=frozenset({*_OF_CHARGES}))
    report = put_on_trial(ChargeInvoice, double, double.charge)
    report.assert_sound()


_OF_CHARGES = (Fault.TIME_OUT_AFTER, Fault.TIME_OUT_BEFORE, Fault.REFUSE, Fault.DOWN)
