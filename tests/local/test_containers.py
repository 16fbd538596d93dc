"""Is the container engine's network read as it says it, and does its silence say what to do?"""

from __future__ import annotations

from ipaddress import IPv4Interface
from typing import TYPE_CHECKING

import pytest
from makegood_cli.local import containers
from makegood_cli.local.containers import NoContainers

if TYPE_CHECKING:
    from pathlib import Path

DOCKER = '[{"Subnet":"172.17.0.0/16","Gateway":"172.17.0.1"}]'
BOTH = '[{"Subnet":"fd00:17::/64"},{"Subnet":"172.18.0.0/24","Gateway":"172.18.0.254"}]'
SILENT = '[{"Subnet":"10.88.0.0/16"}]'


@pytest.mark.parametrize(
    ("text", "address"), [(DOCKER, "172.17.0.1/16"), (BOTH, "172.18.0.254/24"), (SILENT, "10.88.0.1/16")]
)
def test_the_bridge_is_the_host_s_address_on_the_default_network(text: str, address: str) -> None:
    assert containers.bridge_of(text) == IPv4Interface(address)


@pytest.mark.parametrize("text", ["null", "[]", '[{"Subnet":"fd00:17::/64"}]'])
def test_a_network_without_ipv4_is_no_way_in(text: str) -> None:
    with pytest.raises(NoContainers, match="no IPv4 subnet"):
        containers.bridge_of(text)


@pytest.mark.parametrize(
    ("script", "says"),
    [
        (None, "there is no `docker` command: install Docker"),
        ("#!/bin/sh\necho Cannot connect >&2\nexit 1\n", "no container engine answers: Cannot connect; start Docker"),
    ],
)
def test_without_an_engine_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, says: str
) -> None:
    if script:
        (tmp_path / "docker").write_text(script)
        (tmp_path / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoContainers, match=says):
        containers.bridge()
