"""What is known of an outcome: the evidence, the verdict with what it rests on, what people decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from makegood.domain import document

from makegood_cli.screens.sheet import faint, joined, said, stacked
from makegood_cli.words import age, moment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from makegood.domain.evidence import Decision, Difference, Evidence, Verdict
    from makegood.domain.instant import Instant
    from rich.text import Text

_STYLES = {"correct": "green", "missing": "yellow", "divergent": "bold red", "ambiguous": "bold red"}


def kind(name: str) -> Text:
    """Return a verdict's kind in its colour."""
    return said(name, _STYLES.get(name, ""))


def evidence(found: Evidence, now: Instant) -> Text:
    """Say what proof is stored."""
    lines = [moment(found.at, now)]
    if found.remote_id is not None:
        lines.append(f"remote id {found.remote_id}")
    if found.version is not None:
        lines.append(f"version {found.version}")
    if found.fields:
        lines.append(f"fields {document.render(found.fields)}")
    lines.extend(text for text in (found.summary, found.reference) if text)
    return stacked(*lines)


def verdict(found: Verdict, now: Instant) -> Text:
    """Say a verdict: what was asked, what came back, what was compared, by which policy."""
    lines = [joined(kind(found.kind.value), f", {moment(found.at, now)}"), said(f"asked: {found.asked}")]
    if found.answered:
        lines.append(said(f"answered: {found.answered}"))
    if found.compared:
        lines.append(said(f"compared: {', '.join(found.compared)}"))
    lines.extend(differences(found.differences))
    by_policy = f"by version {found.policy_version} of the policy"
    lines.append(faint(by_policy + (f", which recommends: {found.recommendation}" if found.recommendation else "")))
    return stacked(*lines)


def differences(found: Sequence[Difference]) -> Iterator[Text]:
    """Say each thing that was expected and is otherwise."""
    for each in found:
        observed = "nothing" if each.observed is None else each.observed
        yield said(f"{each.field}: expected {each.expected}, found {observed}", "yellow")


def decision(taken: Decision, now: Instant) -> Text:
    """Say who decided what, why, on what it rests, and what came of it."""
    lines = [said(f"{taken.action} by {taken.by}, {age(taken.at, now)}: {taken.reason}")]
    if taken.stated:
        lines.append(said(f"they saw: {taken.stated}"))
    rests = [f"verdict then: {taken.verdict or 'none'}", f"recommended: {taken.recommended or 'nothing'}"]
    lines.append(faint(f"{', '.join(rests)}; {_came_of(taken)}"))
    return stacked(*lines)


def _came_of(taken: Decision) -> str:
    return f"it ended as {taken.outcome}" if taken.outcome else "not ended yet"
