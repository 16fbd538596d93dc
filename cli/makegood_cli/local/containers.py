"""What a container engine such as Docker says about its network."""

from __future__ import annotations

import json
import subprocess
from ipaddress import IPv4Interface, IPv4Network

SECONDS = 30  #: of patience for an answer


class NoContainers(Exception):
    """No container engine answers."""


def bridge() -> IPv4Interface:
    """Return the host's address on the network that containers are on by default, such as 172.17.0.1/16.

    The host is where the engine runs: this machine, or a virtual one on it. Raises NoContainers.
    """
    command = ["docker", "network", "inspect", "bridge", "--format", "{{json .IPAM.Config}}"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=SECONDS)  # noqa: S603
    except FileNotFoundError as error:
        raise NoContainers("there is no `docker` command: install Docker") from error
    except subprocess.TimeoutExpired as error:
        raise NoContainers(f"the container engine does not answer within {SECONDS} s: is Docker well?") from error
    except subprocess.CalledProcessError as error:
        raise NoContainers(f"no container engine answers: {str(error.stderr).strip()}; start Docker") from error
    return bridge_of(answer.stdout)


def bridge_of(text: str) -> IPv4Interface:
    """Read the address from the engine's list of subnets; where it names no gateway, that is the first one in it."""
    for entry in json.loads(text) or []:
        if ":" not in entry["Subnet"]:
            subnet = IPv4Network(entry["Subnet"])
            return IPv4Interface((entry.get("Gateway") or subnet[1], subnet.prefixlen))
    raise NoContainers("the container engine's default network has no IPv4 subnet")
