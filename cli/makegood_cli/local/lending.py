"""Lending the local stack to functions that run elsewhere on this machine, in the containers of `sam local invoke`."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from makegood_cli.local import cloudformation, containers, gate, template
from makegood_cli.local.processes import LOOPBACK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from ipaddress import IPv4Interface

    from makegood_cli.local.places import Places
    from makegood_cli.local.stack import LocalStack

SESSION = "sam-local"  #: the name under which a function's role is taken
#: How containers call this machine's loopback when their engine runs in a virtual machine, as Docker Desktop's does.
HOST_OF_A_VIRTUAL_MACHINE = "host.docker.internal"

Variables = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lent:
    """What a container, and the command that runs it, have to be told; valid while the stack is lent."""

    variables: Mapping[str, Variables]  #: of each function, as `sam local invoke --env-vars` takes them
    here: Variables  #: where AWS is for a command on this machine, such as `sam` itself, which asks who it is
    keys: Mapping[str, Variables] = field(repr=False)  #: of each function's own role
    operator_keys: Variables = field(repr=False)

    def environment_for(self, command: Sequence[str]) -> Variables:
        """Return what a command has to be told; of keys those of the one function that it names, else the operator's.

        `sam local` hands the keys on, so the function's role is all that its container may do.
        """
        named = [keys for function, keys in self.keys.items() if function in command]
        return self.here | (named[0] if len(named) == 1 else self.operator_keys)


@contextmanager
def lent(stack: LocalStack, places: Places) -> Iterator[Lent]:
    """Let containers of this machine reach the stack while the block lasts.

    Raises NoContainers.
    """
    functions = _functions(stack, places)
    with _way_in(stack) as seen:
        endpoint = {"AWS_ENDPOINT_URL": stack.endpoint_url}
        variables = {
            name: {key: seen(value) for key, value in (endpoint | found["Environment"]["Variables"]).items()}
            for name, found in functions.items()
        }
        keys = {name: _keys_of_role(stack, found["Role"]) for name, found in functions.items()}
        here = endpoint | {"AWS_DEFAULT_REGION": stack.region}
        yield Lent(variables=variables, here=here, keys=keys, operator_keys=_operator_keys(stack))


def _functions(stack: LocalStack, places: Places) -> dict[str, dict[str, Any]]:
    """Return the configuration of each of the template's functions, as it is deployed."""
    ids = cloudformation.physical_ids(stack.clients, stack.name)
    wanted = template.resources_of(template.load(places.template), "AWS::Serverless::Function")
    ask = stack.clients.of("lambda").get_function_configuration
    return {name: ask(FunctionName=ids[name]) for name in wanted}


@contextmanager
def _way_in(stack: LocalStack) -> Iterator[Callable[[str], str]]:
    """Yield what turns an address of this machine's loopback into one that a container can call."""
    ports = {int(urlsplit(url).port or 0) for url in (stack.endpoint_url, stack.crm_url)}
    bridge = containers.bridge()
    if not gate.is_here(bridge):
        yield lambda text: text.replace(f"//{LOOPBACK}:", f"//{HOST_OF_A_VIRTUAL_MACHINE}:")
        return
    with gate.opened(bridge, ports) as gates:
        yield lambda text: _through(text, bridge, gates)


def _through(text: str, bridge: IPv4Interface, gates: Mapping[int, int]) -> str:
    """Replace this machine's loopback by the gate that leads to it."""
    for port, outside in gates.items():
        text = text.replace(f"//{LOOPBACK}:{port}", f"//{bridge.ip}:{outside}")
    return text


def _keys_of_role(stack: LocalStack, role: str) -> Variables:
    keys = stack.clients.of("sts").assume_role(RoleArn=role, RoleSessionName=SESSION)["Credentials"]
    return {
        "AWS_ACCESS_KEY_ID": keys["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": keys["SecretAccessKey"],
        "AWS_SESSION_TOKEN": keys["SessionToken"],
    }


def _operator_keys(stack: LocalStack) -> Variables:
    keys = stack.clients.credentials
    return {"AWS_ACCESS_KEY_ID": keys.access_key, "AWS_SECRET_ACCESS_KEY": keys.secret_key}
