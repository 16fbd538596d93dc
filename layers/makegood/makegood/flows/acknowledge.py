"""Take a remote's signed acknowledgement as evidence: verify → read → judge as any other look → confirm, or nothing."""

from dataclasses import dataclass

from makegood.domain import acknowledging
from makegood.domain.acknowledging import Received
from makegood.domain.errors import InvalidInput
from makegood.domain.evidence import VerdictKind
from makegood.domain.follow import follow
from makegood.domain.judge import Judged, judge
from makegood.domain.moving import Hand
from makegood.domain.operation import Intent, Operation, Status
from makegood.domain.reason import Reason
from makegood.domain.registry import Registry
from makegood.flows.act import RECONCILER
from makegood.flows.result import Move, move
from makegood.ports import Applied, Clock, Entropy, Moved, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledged:
    """What became of one acknowledgement."""

    received: Received
    operation_id: str | None = None
    move: Move | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Acknowledge:
    """The flow of a remote that says by itself what it did."""

    store: Store
    clock: Clock
    entropy: Entropy
    registry: Registry

    def __call__(self, operation_type: str, body: bytes, signature: str) -> Acknowledged:
        """Confirm the operation that the body names, if the signature and everything in it hold; change nothing else.

        Raises:
            InvalidInput: this release does not know the type, or it takes no acknowledgements.
            StoreError: the store did not answer.
        """
        secret = self.registry.acknowledgement_secret(operation_type)
        refused = acknowledging.verified(body, signature, secret=secret, now=self.clock.now())
        if refused is not None:
            return Acknowledged(received=refused)
        try:
            said = acknowledging.read(body)
        except InvalidInput:
            return Acknowledged(received=Received.MALFORMED)
        operation = self.store.find([said.operation_id]).get(said.operation_id)
        if not isinstance(operation, Operation) or operation.operation_type != operation_type:
            return Acknowledged(received=Received.UNKNOWN, operation_id=said.operation_id)
        return self._weighed(operation, said)

    def _weighed(self, operation: Operation, said: acknowledging.Statement) -> Acknowledged:
        terms, now = self.registry.terms_of(operation.operation_type), self.clock.now()
        if why_not := _not_awaited(operation):
            return Acknowledged(received=why_not, operation_id=operation.operation_id)
        judged = judge(operation, said.found, now=now, terms=terms)
        if not isinstance(judged, Judged) or judged.verdict.kind is not VerdictKind.CORRECT:
            return Acknowledged(received=Received.OTHER, operation_id=operation.operation_id)
        hand = Hand(now=now, actor=RECONCILER, write_id=self.entropy.token(), terms=terms)
        proven = Judged(verdict=judged.verdict, reason=Reason.ACKNOWLEDGED, evidence=judged.evidence)
        wanted = follow(operation, proven, hand, fraction=0.0).after
        if wanted is operation or wanted.status not in (Status.CONFIRMED, Status.MANUAL_REVIEW):
            return Acknowledged(received=Received.WITHHELD, operation_id=operation.operation_id)
        return self._written(operation, wanted)

    def _written(self, operation: Operation, wanted: Operation) -> Acknowledged:
        match self.store.apply(operation, wanted):
            case Applied(landed):
                received = Received.ACCEPTED if landed.status is Status.CONFIRMED else Received.WITHHELD
                return Acknowledged(received=received, operation_id=operation.operation_id, move=move(landed))
            case Moved():
                return Acknowledged(received=Received.NOT_AWAITED, operation_id=operation.operation_id)


def _not_awaited(operation: Operation) -> Received | None:
    if operation.status is Status.PROCESSING:
        return Received.TOO_EARLY
    awaited = operation.status in (Status.AWAITING_CONFIRMATION, Status.MANUAL_REVIEW)
    return None if awaited and operation.intent is Intent.EFFECT else Received.NOT_AWAITED
