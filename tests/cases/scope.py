"""Which faults, reported in public by people who do this job, are shown not to happen here, and which not yet.

The numbers are those of a catalogue of such reports, kept apart from this repository. A test says which it shows by
`@case("F044")`.
"""

from __future__ import annotations

from typing import NamedTuple

MOST_EXCUSED = 6


class Apart(NamedTuple):
    """A case that is not shown whole, and why."""

    gist: str
    why: str


#: delivery, duplication
DELIVERY = {
    "F001": "a message comes again while its operation is still worked on",
    "F003": "every message of a batch is bad",
    "F004": "the list of failed messages is not read, or holds a stray id",
    "F005": "a slip between the batch library and the work makes every message look bad",
    "F006": "throttled deliveries use up a message's receives before anything ran",
    "F007": "somebody clears a queue",
    "F008": "messages grow older than their queue keeps them",
    "F009": "a batch of sends is taken in part, under an answer that says success",
    "F011": "one message that cannot be sent stops all that come after it",
    "F013": "a stable id against duplicates swallows the rescue as well",
    "F015": "a wait is longer than a queue can hold a message back",
    "F017": "a message carries a copy of the work that is stale by the time it runs",
    "F018": "a message names an operation that is not there",
    "F020": "what a handler returns by accident is taken for a failure",
}
#: state and concurrency
STATE = {
    "F021": "the reply to a claim is lost, and its repetition meets the claim itself",
    "F022": "the same at the write that confirms",
    "F024": "an attempt that was thought dead wakes up after its replacement finished",
    "F026": "a worker dies between the claim and the call",
    "F027": "a worker dies between the effect and its record",
    "F028": "an update makes a row that nobody promised",
    "F030": "a row's version goes back, so that an old writer gets through",
    "F032": "a conflict or a throttle is taken for a lost race",
    "F033": "a repeated transaction is told that it runs already, or that it is another one",
    "F034": "the index shows what the table no longer says",
    "F036": "an older change is applied after a newer one",
    "F038": "a row or an answer from before versions existed",
    "F039": "a run that was cut off leaves a lock behind",
    "F040": "a batch leaves items undone without an error",
    "F042": "a killed run never reaches its clean-up",
}
#: the sweep
SWEEP = {
    "F043": "a row is marked as handled and its message is never sent",
    "F044": "each tick sends again what is queued already; a cap trims where it should refuse",
    "F047": "a row moves between the listing and the act",
    "F048": "two sweeps run at once",
    "F050": "a run that is started twice looks like two pieces of work",
    "F051": "“I could not look” is read as “it is not there”",
    "F052": "what was applied shows late, or on and off",
    "F054": "a look-up returns what was deleted",
    "F056": "existence is taken for correctness",
    "F057": "an outage is handled as a thousand failures",
    "F059": "deployments use up the attempts of healthy work",
    "F061": "an error inside the sweep is reported as an empty sweep",
    "F063": "an off switch that cannot be switched on again",
}
#: input and payload
INPUT = {
    "F064": "text that JSON allows and a queue refuses",
    "F066": "NaN, infinity and numbers beyond all bounds pass the parser",
    "F067": "floats raise or change where the store takes decimals",
    "F069": "big integers lose digits in one layer and not in another",
    "F071": "history and errors grow a row beyond what can be written",
    "F073": "a row lacks an attribute of the index, and no sweep ever sees it",
    "F074": "odd or look-alike names collide",
    "F076": "an idempotency key that the remote cannot take, or that says whom it concerns",
    "F077": "a key is reused with other parameters",
    "F078": "the remote repeats its first error for ever",
    "F079": "the remote has forgotten the key",
    "F080": "the remote still works on the first call",
}
#: time
TIME = {
    "F081": "local and universal time are mixed",
    "F082": "another program writes a time in a format of its own",
    "F084": "the time is taken once, when the process starts",
    "F085": "the clocks of two machines disagree",
    "F088": "a time to live is written in milliseconds",
    "F089": "a row is past its time and still there",
    "F090": "a schedule in local time skips or repeats an hour",
    "F092": "ticks come late, early and twice",
}
#: limits, template, configuration
TEMPLATE = {
    "F093": "time-outs that depend on each other live apart and drift",
    "F094": "the right to the table does not cover its index",
    "F095": "rights are wider than the job",
    "F097": "a backlog takes the whole account's capacity",
    "F098": "a schedule whose role cannot do the work",
    "F100": "a concurrency of 0 as the off switch",
    "F103": "an index that is throttled holds up the table's writes",
    "F104": "a local invocation gets names instead of addresses",
    "F105": "dead letters that go nowhere, or a worker that deletes what failed",
    "F106": "one bad record blocks a stream",
    "F107": "the emulator said yes",
}
#: text from outside
WORDS = {
    "F136": "text from outside forges a line or a field of the log",
    "F137": "a remote's error brings credentials or a person's data into logs, rows and queues",
}
#: people, and what a remote says by itself
PEOPLE = {
    "F122": "a retry of what has ended",
    "F124": "acted, and the record of it lost",
    "F129": "a mark that no path takes away",
    "F131": "a cancel has no effect on work in progress",
    "F132": "one stray click repeats an old effect",
    "F133": "automation goes live before it was watched",
    "F143": "a forged or repeated acknowledgement is believed",
}
IN_SCOPE = {**DELIVERY, **STATE, **SWEEP, **INPUT, **TIME, **TEMPLATE, **PEOPLE, **WORDS}

EXCUSED = {
    "F060": Apart(
        "a slow but healthy run is declared dead and doubled",
        "no run outlives its lease, so none has to renew it: docs/decisions/0010-field-cases.md",
    ),
}

DESK = "the desk, where people decide"
SEEING = "the metrics, alarms and dashboards of the whole"
BULK = "decisions upon many operations at once, which come with the desk: each decision names one operation until then"
REVIEWS = "the series and the alarm that tell of the age of reviews"
#: not whole before people have a desk and all is seen; a test that carries such a number shows what holds already
LATER = {
    "F110": Apart("dimensions are dropped or refused", SEEING),
    "F112": Apart("metrics are lost in the runs that matter", SEEING),
    "F113": Apart("nobody notices that it never ran", SEEING),
    "F115": Apart("an alarm fires and its message is refused", SEEING),
    "F116": Apart("the dead letters' alarm watches the wrong number", SEEING),
    "F117": Apart("throttled runs look fine", SEEING),
    "F119": Apart("odd values break the log line", SEEING),
    "F120": Apart("ids as dimensions", SEEING),
    "F125": Apart("a mass retry brings the outage back", BULK),
    "F128": Apart("a pile of reviews that nobody owns", REVIEWS),
    "F134": Apart("a stored script runs in somebody's view", DESK),
    "F140": Apart("acting on what belongs to another", DESK),
    "F141": Apart("rows without an owner are a hole", DESK),
    "F144": Apart("destructive rights in the wrong hands", DESK),
}
