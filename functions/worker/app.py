"""The worker's door: an SQS batch in, the ids of the messages to hand back out.

The messages of a batch are worked on side by side, so that each has the whole perform deadline and a slow one holds
up no other.
"""

from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from typing import Any

from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.typing import LambdaContext
from makegood import bootstrap, telemetry
from makegood.domain import hint
from makegood.domain.errors import InvalidInput
from makegood.domain.instant import Instant, after
from makegood.domain.reason import Reason
from makegood.flows.work import Fate, Work, Worked

log = telemetry.logger("makegood-worker")


class HandedBack(Exception):
    """Tells the batch processor that a message has not served yet."""


def handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Work on each message of the batch; one bad message costs itself."""
    flow = bootstrap.worker()
    until = after(flow.clock.now(), timedelta(milliseconds=context.get_remaining_time_in_millis()))
    with ThreadPoolExecutor(max_workers=max(len(event["Records"]), 1)) as pool:
        working = {record["messageId"]: pool.submit(_work, flow, record["body"], until) for record in event["Records"]}
        return process_partial_response(
            event=event,
            record_handler=lambda record: _finish(record, working[record.message_id]),
            processor=BatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False),
            context=context,
        )


def _work(flow: Work, body: str, until: Instant) -> Worked:
    return flow(hint.parse(body), until=until)


def _finish(record: SQSRecord, working: Future[Worked]) -> None:
    try:
        worked = working.result()
    except InvalidInput as error:
        telemetry.log_failed(log, record.message_id, Reason.MALFORMED, error)
        raise
    except BaseException as error:  # a task that was cancelled is no Exception, and still costs its own message alone
        telemetry.log_failed(log, record.message_id, Reason.FAILED, error)
        raise HandedBack(Reason.FAILED) from error
    telemetry.log_worked(log, worked)
    if worked.fate is Fate.HAND_BACK:
        raise HandedBack(worked.reason)
