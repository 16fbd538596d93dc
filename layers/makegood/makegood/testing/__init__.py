"""Test your operation types: a Makegood in memory, ready refusals, and the fault kit. `docs/testing.md` teaches it.

The pytest plugin (`makegood/pytest_plugin.py`) gives the fixture `makegood`. Nothing of the library imports this room.
"""

from makegood.domain.limits import Limits, SweepLimits
from makegood.testing.bench import Bench
from makegood.testing.contract import Clause, Harm
from makegood.testing.double import NO_KEY, Addresses, Fault, RemoteDouble, Seen
from makegood.testing.kit import put_on_trial
from makegood.testing.refusals import (
    assert_leaves_claimed,
    assert_leaves_fresh,
    assert_refuses_above_the_cap,
    refusal_tests,
)
from makegood.testing.remote import Answer, ForgetfulRemote, RemoteInMemory
from makegood.testing.report import Report, Result

__all__ = [
    "NO_KEY",
    "Addresses",
    "Answer",
    "Bench",
    "Clause",
    "Fault",
    "ForgetfulRemote",
    "Harm",
    "Limits",
    "RemoteDouble",
    "RemoteInMemory",
    "Report",
    "Result",
    "Seen",
    "SweepLimits",
    "assert_leaves_claimed",
    "assert_leaves_fresh",
    "assert_refuses_above_the_cap",
    "put_on_trial",
    "refusal_tests",
]
