"""`up`, `down` and `status`: the local stack; `status` also of a deployed one."""

from collections.abc import Mapping
from typing import Annotated

import typer

from makegood_cli import console
from makegood_cli.commands.output import agreed, local_session_of, print_json, require_person, session_of
from makegood_cli.exits import NOT_RUNNING, Ended, ExitCode, Told
from makegood_cli.explain import RUNS_READ, last_run
from makegood_cli.local import rehearsal
from makegood_cli.local import stack as local_stack
from makegood_cli.local.processes import Process
from makegood_cli.local.profile import Sweeps
from makegood_cli.options import AsJson
from makegood_cli.screens import stack as screen
from makegood_cli.stacks import Stack

_MEND = "Mend it, then `makegood up` again; meanwhile operations wait, and nothing is lost"


def up(
    context: typer.Context,
    *,
    sweeps: Annotated[
        Sweeps, typer.Option("--sweeps", help="What its sweeps do: act, or only look, judge and count.")
    ] = Sweeps.ACT,
    as_json: AsJson = False,
) -> None:
    """Start the local stack, or bring it to what template.yaml and the sources say now.

    It runs the template that AWS would get on an engine on this machine: no account, no
    Docker. Twice changes nothing. What it holds is kept over `makegood down`. If its
    functions cannot start, as with a catalog that cannot be imported, the exit code is 1.
    """
    session = local_session_of(context)
    with console.steps(local_stack.STEPS) as step:
        found = local_stack.up(session.world.places, sweeps=sweeps, progress=step)
    if (why_not := rehearsal.why_not_started(found, session.world.places)) is not None:
        raise Ended(ExitCode.FAULT, f"deployed, but its functions cannot start: {why_not}. {_MEND}")
    if as_json:
        print_json(
            {
                "stack": found.name,
                "endpoint_url": found.endpoint_url,
                "crm_url": found.crm_url,
                "outputs": found.outputs,
            }
        )
        return
    screen.local(console.stdout(), found)


def down(
    context: typer.Context,
    *,
    wipe: Annotated[bool, typer.Option("--wipe", help="Also forget all data: operations, messages, logs.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before forgetting.")] = False,
    as_json: AsJson = False,
) -> None:
    """Stop the local stack's processes; its data stays for the next `makegood up`.

    With --wipe the data goes too; it asks first, and no answer is a no. It stops only
    what `makegood up` started here, and never touches a deployed stack.
    """
    session = local_session_of(context)
    if wipe and not yes:
        require_person(session)
        _ask_to_forget()
    stopped = local_stack.down(session.world.places)
    if wipe:
        local_stack.wipe(session.world.places)
    if as_json:
        print_json({"stopped": stopped, "wiped": wipe})
        return
    console.stdout().print(f"stopped: {', '.join(stopped)}" if stopped else "nothing was running")


def status(context: typer.Context, *, as_json: AsJson = False) -> None:
    """Say what runs: processes, queues, whether the sweep is halted, and when it last ran.

    Of a deployed stack (--stack) it says the same but for the processes. What the
    queues hold is about right, as SQS counts. It only reads. The exit code is 1 if the
    local stack is not running.
    """
    session = session_of(context)
    processes = None if session.choice.stack else local_stack.status(session.world.places).processes
    if processes and not as_json:
        screen.processes(console.stdout(), processes)
    if processes and not all(processes.values()):
        if as_json:
            print_json({"running": False, "processes": processes})
        raise Told(ExitCode.FAULT, NOT_RUNNING)
    _print(session.stack(), processes, as_json=as_json)


def _print(stack: Stack, processes: Mapping[str, Process | None] | None, *, as_json: bool) -> None:
    rooms, depths = stack.rooms, stack.depths()
    control, runs = rooms.ledger.control(), rooms.ledger.runs(RUNS_READ)
    if as_json:
        facts = {"stack": stack.name, "where": stack.where, "running": True, "processes": processes}
        facts["only_watching"] = rooms.settings.only_watching
        print_json({**facts, "queues": depths, "control": control, "last_sweep": last_run(runs)})
        return
    out = console.stdout()
    screen.queues(out, depths)
    screen.sweeping(out, rooms.clock.now(), control, runs, rooms.settings)
    out.print(f"{stack.name}, on {stack.where}", soft_wrap=True, style="dim")


def _ask_to_forget() -> None:
    if not agreed("Forget every operation, message and log of the local stack?"):
        raise Ended(ExitCode.REFUSED, "nothing was stopped or forgotten (--yes does not ask)")
