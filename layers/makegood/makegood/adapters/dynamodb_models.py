"""The items of the one table, declared for PynamoDB, which serialises them. It sends nothing: see `dynamodb_store`.

| item                        | pk             | sk                  |
|-----------------------------|----------------|---------------------|
| an operation                | operation_id   | operation           |
| its payload, if it is large | operation_id   | payload             |
| an entity's newest version  | entity#TYPE#ENTITY | latest          |
| the sweep's control row     | #control       | sweep               |
| a sweep's record            | #sweeps        | start time # run id |

Attributes bear the names of the data model in full. One declared with `null=True` may be absent; absent means absent.
"""

from pynamodb.indexes import GlobalSecondaryIndex, IncludeProjection
from pynamodb.models import Model

from makegood.adapters.dynamodb_attributes import (
    Choice,
    ClosureText,
    DecisionsText,
    EvidenceText,
    JsonText,
    Lines,
    Moment,
    OnlyIfSome,
    OnlyIfTrue,
    Text,
    VerdictText,
    WholeNumber,
    WholeNumbers,
)
from makegood.domain.operation import Intent, QueueName, Status

OPERATION = "operation"
PAYLOAD = "payload"
DUE_INDEX = "due"


class DueIndex(GlobalSecondaryIndex["OperationRow"]):  # type: ignore[no-untyped-call]  # PynamoDB's hook has no types
    """The sparse index of open operations: when somebody must look.

    What it projects beside keys never changes, so that it costs no further write.
    """

    class Meta:
        """The index's name, and what it holds beside keys."""

        index_name = DUE_INDEX
        projection = IncludeProjection(["operation_type", "created_at"])

    due_shard = Text(hash_key=True)
    due_at = Moment(range_key=True)


class OperationRow(Model):
    """An operation. `operation_id` is the partition key and is not stored a second time."""

    class Meta:
        """The table's name is the deployment's; requests carry it."""

        table_name = "operations"

    due = DueIndex()

    pk = Text(hash_key=True)
    sk = Text(range_key=True)
    format = WholeNumber()
    operation_type = Text()
    entity = Text()
    expected_version = WholeNumber()
    expected_fields = JsonText()
    payload = JsonText(null=True)
    payload_bytes = WholeNumber(null=True)
    fingerprint = Text()
    queue = Choice(QueueName, null=True)
    idempotency_key = Text()

    status = Choice(Status)
    intent = Choice(Intent)
    attempt = OnlyIfSome(null=True)
    dispatches = OnlyIfSome(null=True)
    observations = OnlyIfSome(null=True)
    absences = OnlyIfSome(null=True)
    revision = WholeNumber()
    write_id = Text()

    claim_token = Text(null=True)
    claimed_at = Moment(null=True)
    lease_ends_at = Moment(null=True)
    first_claimed_at = Moment(null=True)
    attempt_ended_at = Moment(null=True)
    uncertain = OnlyIfTrue(null=True)

    created_at = Moment()
    updated_at = Moment()
    not_before = Moment(null=True)
    deadline_at = Moment(null=True)
    due_shard = Text(null=True)
    due_at = Moment(null=True)
    expires_at = WholeNumber(null=True)

    remote_id = Text(null=True)
    evidence = EvidenceText(null=True)
    verdict = VerdictText(null=True)
    cancel_reason = Text(null=True)
    last_error = Text(null=True)
    closure = ClosureText(null=True)
    decisions = DecisionsText(null=True)
    history = Lines()


class PayloadItem(Model):
    """A payload above the inline limit, apart from its row so that transitions never pay for it."""

    class Meta:
        """See `OperationRow`."""

        table_name = "operations"

    pk = Text(hash_key=True)
    sk = Text(range_key=True)
    payload = JsonText()
    expires_at = WholeNumber(null=True)


class LatestRow(Model):
    """The newest version of an entity that was ever begun; only for types whose newer versions supersede older ones."""

    class Meta:
        """See `OperationRow`."""

        table_name = "operations"

    pk = Text(hash_key=True)
    sk = Text(range_key=True)
    version = WholeNumber()
    operation_id = Text()
    busy_until = Moment(null=True)
    applied = WholeNumbers(null=True)


class ControlRow(Model):
    """What sweeps know of each other: who runs, since when they are halted, and a person's permission to go on."""

    class Meta:
        """See `OperationRow`."""

        table_name = "operations"

    pk = Text(hash_key=True)
    sk = Text(range_key=True)
    lease_token = Text(null=True)
    lease_ends_at = Moment(null=True)
    halted_since = Moment(null=True)
    halted_why = Text(null=True)
    acknowledgement = JsonText(null=True)
    asking = Lines(null=True)
    shards = WholeNumber(null=True)


class RunRow(Model):
    """The record of one sweep."""

    class Meta:
        """See `OperationRow`."""

        table_name = "operations"

    pk = Text(hash_key=True)
    sk = Text(range_key=True)
    outcome = Text()
    record = JsonText()
    expires_at = WholeNumber()
