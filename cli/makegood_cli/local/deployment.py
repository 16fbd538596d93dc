"""Deploying template.yaml itself to the engine as `sam package` and `sam deploy` would: code to a bucket, then a stack.

What the engine's CloudFormation refuses is left out by an explicit list (left_out.py); what it ignores without a word
is set afterwards through the services (amendments.py).
"""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from makegood_cli.local import amendments, cloudformation, left_out, packages, template

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from makegood_cli.local.clients import Clients
    from makegood_cli.local.places import Places
    from makegood_cli.local.template import Template

BUCKET = "makegood-code"


def deploy(
    clients: Clients,
    places: Places,
    *,
    stack: str,
    parameters: Mapping[str, str],
    progress: Callable[[str], None],
) -> dict[str, str]:
    """Bring the stack to what template.yaml and the sources say; return its outputs. Twice changes nothing.

    Raises PackagingError or DeploymentError.
    """
    document = left_out.without_refused(template.load(places.template))
    progress("Packing functions and layers")
    packed = _packed(clients, places, document)
    progress("Deploying template.yaml")
    cloudformation.apply(clients, stack, packed, parameters)
    _forget_old(clients, packed)
    progress("Amending what the engine ignores")
    amendments.apply(clients, document, cloudformation.physical_ids(clients, stack), parameters)
    return cloudformation.outputs(clients, stack)


def _packed(clients: Clients, places: Places, document: Template) -> Template:
    """Return the template with each local folder of code replaced by its place in the bucket."""
    packed = copy.deepcopy(document)
    _ensure_bucket(clients)
    for properties in template.resources_of(packed, "AWS::Serverless::Function").values():
        archive = packages.function_zip(places, places.root / properties["CodeUri"])
        properties["CodeUri"] = _uploaded(clients, archive)
    for properties in template.resources_of(packed, "AWS::Serverless::LayerVersion").values():
        archive = packages.layer_zip(places, places.root / properties["ContentUri"])
        properties["ContentUri"] = _uploaded(clients, archive)
    return packed


def _ensure_bucket(clients: Clients) -> None:
    where = {"LocationConstraint": clients.region}
    try:
        clients.of("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration=where)
    except ClientError as error:
        if error.response["Error"]["Code"] != "BucketAlreadyOwnedByYou":
            raise


def _forget_old(clients: Clients, packed: Template) -> None:
    """Delete the code that no function or layer of the template uses any more; the engine holds it in memory."""
    s3 = clients.of("s3")
    used = json.dumps(packed)
    for entry in s3.list_objects_v2(Bucket=BUCKET).get("Contents", []):
        if entry["Key"] not in used:
            s3.delete_object(Bucket=BUCKET, Key=entry["Key"])


def _uploaded(clients: Clients, archive: Path) -> str:
    """Upload the zip unless the bucket has it (its name is its hash); return its address."""
    s3 = clients.of("s3")
    try:
        s3.head_object(Bucket=BUCKET, Key=archive.name)
    except ClientError:
        s3.put_object(Bucket=BUCKET, Key=archive.name, Body=archive.read_bytes())
    return f"s3://{BUCKET}/{archive.name}"
