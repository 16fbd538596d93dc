"""Do the clock and the chance of this machine keep to their ports?"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from makegood.adapters.system_clock import SystemClock, SystemEntropy
from makegood.domain.instant import from_datetime

if TYPE_CHECKING:
    from makegood.ports import Clock, Entropy


def test_now_is_this_machine_s_utc_in_milliseconds() -> None:
    clock: Clock = SystemClock()
    before = from_datetime(datetime.now(UTC) - timedelta(milliseconds=1))
    assert before <= clock.now() <= from_datetime(datetime.now(UTC) + timedelta(milliseconds=1))


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata", "UTC"])
def test_now_is_utc_wherever_the_machine_stands(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        assert abs(SystemClock().now() - time.time_ns() // 1_000_000) < 60_000
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_token_is_twelve_characters_that_any_url_takes_and_never_the_same() -> None:
    entropy: Entropy = SystemEntropy()
    tokens = [entropy.token() for _ in range(10_000)]
    assert all(re.fullmatch("[A-Za-z0-9_-]{12}", token) for token in tokens)
    assert len(set(tokens)) == len(tokens)


def test_a_fraction_lies_in_its_range_and_spreads() -> None:
    entropy: Entropy = SystemEntropy()
    fractions = [entropy.fraction() for _ in range(1_000)]
    assert all(0 <= fraction < 1 for fraction in fractions)
    assert min(fractions) < 0.1
    assert max(fractions) > 0.9


def test_the_adapters_import_without_environment_and_without_boto3() -> None:
    modules = "dynamodb_store, dynamodb_ledger, sqs_queue, secrets_manager, system_clock"
    code = f"import sys; from makegood.adapters import {modules}; sys.exit('boto3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env={}, check=False).returncode == 0
