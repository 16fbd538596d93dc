"""The only file that knows every room: it reads the settings, chooses the adapters, and puts the flows together.

Nothing is built at import. A door builds once, at its first event, and keeps what it built while its process lives.
"""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from traceback import extract_tb

from makegood import settings
from makegood.adapters.aws import AwsAccess, AwsClients
from makegood.adapters.dynamodb_ledger import DynamoDbLedger
from makegood.adapters.dynamodb_line import DynamoDbLine
from makegood.adapters.dynamodb_store import DynamoDbStore
from makegood.adapters.secrets_manager import SecretsManagerSecrets
from makegood.adapters.sqs_queue import SqsQueue
from makegood.adapters.system_clock import SystemClock, SystemEntropy
from makegood.adapters.threads import ThreadedLookout
from makegood.domain.errors import SettingsError
from makegood.domain.operation_type import OperationType
from makegood.domain.outcome import TransientError
from makegood.domain.registry import Registry
from makegood.flows.acknowledge import Acknowledge
from makegood.flows.cancel import Cancel
from makegood.flows.check import Check
from makegood.flows.review import Review
from makegood.flows.submit import Submit
from makegood.flows.sweep import Sweep
from makegood.flows.work import Work
from makegood.settings import StackSettings, SweepSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """One deployment's adapters, and the registry of its operation types."""

    settings: StackSettings
    store: DynamoDbStore
    ledger: DynamoDbLedger
    queue: SqsQueue
    line: DynamoDbLine
    lookout: ThreadedLookout
    clock: SystemClock
    entropy: SystemEntropy
    registry: Registry

    def submit(self) -> Submit:
        """Put the producer's flow together."""
        return Submit(
            store=self.store, queue=self.queue, clock=self.clock, entropy=self.entropy, registry=self.registry
        )

    def work(self) -> Work:
        """Put the worker's flow together."""
        return Work(
            store=self.store,
            queue=self.queue,
            clock=self.clock,
            entropy=self.entropy,
            registry=self.registry,
            limits=self.settings.limits,
            line=self.line,
        )

    def review(self) -> Review:
        """Put the flow of the people's decisions together."""
        return Review(
            store=self.store,
            queue=self.queue,
            clock=self.clock,
            entropy=self.entropy,
            registry=self.registry,
            lookout=self.lookout,
        )

    def cancel(self) -> Cancel:
        """Put the flow of a cancellation together."""
        return Cancel(store=self.store, clock=self.clock, entropy=self.entropy, registry=self.registry)

    def acknowledge(self) -> Acknowledge:
        """Put the flow of signed acknowledgements together."""
        return Acknowledge(store=self.store, clock=self.clock, entropy=self.entropy, registry=self.registry)

    def check(self, sweep_settings: SweepSettings) -> Check:
        """Put the flow of a result file together."""
        return Check(
            store=self.store,
            ledger=self.ledger,
            queue=self.queue,
            clock=self.clock,
            entropy=self.entropy,
            registry=self.registry,
            limits=self.settings.limits,
            drain_rate=sweep_settings.sweep.drain_rate,
        )

    def sweep(self, sweep_settings: SweepSettings) -> Sweep:
        """Put the reconciler's flow together."""
        return Sweep(
            store=self.store,
            ledger=self.ledger,
            queue=self.queue,
            clock=self.clock,
            entropy=self.entropy,
            registry=self.registry,
            limits=self.settings.limits,
            sweep_limits=sweep_settings.sweep,
            lookout=self.lookout,
            only_watching=sweep_settings.only_watching,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Makegood:
    """One whole deployment, for callers that use more than one flow, such as the command."""

    settings: SweepSettings
    store: DynamoDbStore
    ledger: DynamoDbLedger
    queue: SqsQueue
    clock: SystemClock
    registry: Registry
    submit: Submit
    work: Work
    sweep: Sweep
    review: Review
    cancel: Cancel
    check: Check


class DeploymentRemotes:
    """Remotes as the deployment names them: addresses from its variables, secrets from its Secrets Manager ARN."""

    def __init__(self, secrets: SecretsManagerSecrets, variables: Mapping[str, str] | None = None) -> None:
        self._secrets = secrets
        self._variables = variables  #: `None` are those of this process

    def url(self, name: str) -> str:
        """Return the address in MAKEGOOD_REMOTE_<NAME>_URL.

        Raises:
            TransientError: it is not deployed, so nothing was sent; whoever mends the deployment mends the attempt.
        """
        try:
            return settings.remote_url(name, self._variables)
        except SettingsError as error:
            raise TransientError(str(error)) from error

    def secret(self, name: str) -> str | None:
        """Return the value of this name in the secret, or `None` where the deployment names no secret."""
        return self._secrets.secret(name)


def parts(of: StackSettings, access: AwsAccess | None = None, variables: Mapping[str, str] | None = None) -> Parts:
    """Build the adapters of one deployment.

    `access` and `variables` (of one of its functions) are for callers outside Lambda, such as the command.

    Raises:
        SettingsError: the catalog cannot be imported, or lists no operation types.
        UnsafePolicy: an operation type's policy breaks a rule.
    """
    clients = AwsClients(access)
    clock = SystemClock()
    secrets = SecretsManagerSecrets(clients, of.remote_secret_arn, clock)
    return Parts(
        settings=of,
        store=DynamoDbStore(clients, of.table),
        ledger=DynamoDbLedger(clients, of.table),
        queue=SqsQueue(clients, of.queues),
        line=DynamoDbLine(clients, of.table),
        lookout=ThreadedLookout(),
        clock=clock,
        entropy=SystemEntropy(),
        registry=Registry(catalog(of.catalog), limits=of.limits, remotes=DeploymentRemotes(secrets, variables)),
    )


def connect(
    read: SweepSettings, access: AwsAccess | None = None, variables: Mapping[str, str] | None = None
) -> Makegood:
    """Put everything of one deployment together; arguments and errors are those of `parts`."""
    built = parts(read.shared, access, variables)
    return Makegood(
        settings=read,
        store=built.store,
        ledger=built.ledger,
        queue=built.queue,
        clock=built.clock,
        registry=built.registry,
        submit=built.submit(),
        work=built.work(),
        sweep=built.sweep(read),
        review=built.review(),
        cancel=built.cancel(),
        check=built.check(read),
    )


def catalog(module: str) -> tuple[type[OperationType], ...]:
    """Return the operation types that a catalog module lists.

    Raises:
        SettingsError: naming the module and what it lacks.
    """
    try:
        found = importlib.import_module(module)
    except Exception as error:
        raise SettingsError(f"MAKEGOOD_CATALOG is {module!a}: {_why_not_imported(error, module)}") from error
    types = getattr(found, "OPERATION_TYPES", None)
    if not isinstance(types, tuple):
        raise SettingsError(f"MAKEGOOD_CATALOG is {module!a}: it has no tuple OPERATION_TYPES")
    return types


def _why_not_imported(error: Exception, module: str) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name == module:
        return f"{error}; name the module of your operation types"
    frames = [each for each in extract_tb(error.__traceback__) if not each.filename.startswith("<")]
    place = "" if isinstance(error, SyntaxError) else f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})"
    return f"it cannot be imported: {type(error).__name__}: {error}{place}"


@cache
def worker() -> Work:
    """Return the worker's flow, built at its first event."""
    return parts(StackSettings.read()).work()


@cache
def reconciler() -> Sweep:
    """Return the reconciler's flow, built at its first event."""
    read = SweepSettings.read()
    return parts(read.shared).sweep(read)


@cache
def producer() -> Submit:
    """Return the producer's flow for a function of your own that has the stack's variables."""
    return parts(StackSettings.read()).submit()


def stack_name() -> str:
    """Return the stack's name, which every metric carries."""
    return StackSettings.read().stack
