"""Do the team's own types withstand what the fault kit puts them through, at the local stack's remote?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from catalog import ChargeInvoice, SyncCustomer
from makegood.testing import Fault, put_on_trial

from tests.catalog.asked_account import AskedAccount
from tests.catalog.close_account import CloseAccount
from tests.catalog.crm_double import CrmDouble

if TYPE_CHECKING:
    from tests.local_crm import LocalCrm


def test_sync_customer_withstands_every_fault(crm: LocalCrm) -> None:
    double = CrmDouble(crm)
    report = put_on_trial(SyncCustomer, double, double.promise)
    report.assert_sound()
    assert not report.left_out


@pytest.mark.parametrize("guides", [CloseAccount, AskedAccount])
def test_the_types_of_the_guide_withstand_every_fault(crm: LocalCrm, guides: type[CloseAccount]) -> None:
    double = CrmDouble(crm, operation_type="close_account", kind="account")
    put_on_trial(guides, double, double.promise).assert_sound()


def test_a_charge_is_taken_once_at_most_and_otherwise_a_persons(crm: LocalCrm) -> None:
    double = CrmDouble(crm, can=frozenset({*_OF_CHARGES}))
    report = put_on_trial(ChargeInvoice, double, double.charge)
    report.assert_sound()


_OF_CHARGES = (Fault.TIME_OUT_AFTER, Fault.TIME_OUT_BEFORE, Fault.REFUSE, Fault.DOWN)
