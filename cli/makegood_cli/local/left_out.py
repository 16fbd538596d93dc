"""What the engine refuses of the template, so that the local stack does without. Nothing else is left out.

A test holds this list against the template: each entry is there, the engine refuses it, and all the rest is deployed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from makegood_cli.local.template import Template


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A resource of the template that the local stack does not have."""

    logical_id: str
    refusal: str  #: a part of what the engine says to it


#: Empty: the engine takes all of today's template. It would refuse alarms on metric math and composite alarms.
LEFT_OUT: tuple[LeftOut, ...] = ()


def without_refused(document: Template) -> Template:
    """Return the template without the resources that are left out."""
    refused = {entry.logical_id for entry in LEFT_OUT}
    resources = {name: resource for name, resource in document["Resources"].items() if name not in refused}
    return document | {"Resources": resources}
