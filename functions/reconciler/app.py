"""The reconciler's door: a schedule's tick, or a person's overrides for one run, in; a summary out."""

from datetime import timedelta
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext
from makegood import bootstrap, telemetry
from makegood.domain.instant import after
from makegood.flows.order import asked

RESERVE = timedelta(seconds=2)  #: left for the run record after the last act

log = telemetry.logger("makegood-reconciler")


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Sweep once and say what was found and done.

    An event that asks for what no run may do, and an error inside the sweep, are errors of the invocation: never an
    empty success.
    """
    flow = bootstrap.reconciler()
    remaining = timedelta(milliseconds=context.get_remaining_time_in_millis())
    order = asked(event, run_id=context.aws_request_id, until=after(flow.clock.now(), remaining - RESERVE))
    swept = flow(order)
    telemetry.log_moves(log, swept.moves)
    telemetry.log_sweep(log, swept.record, swept.unknown_types)
    telemetry.emit_sweep(swept.record, stack=bootstrap.stack_name())
    return telemetry.summary(swept.record) | {
        "unknown_types": list(swept.unknown_types),
        "plan": [telemetry.planned(item) for item in swept.plan],
    }
