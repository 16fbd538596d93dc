"""What the CRM's answers about one customer mean. The tables stand in sync_customer.py."""

from makegood import Absent, Accepted, Done, Found, Intent, Look, NotApplicable, UncertainError, document

from catalog.http_json import Answer

UNKNOWN_CUSTOMER = "unknown_customer"  #: the CRM's own code for "not there"


def changed(answer: Answer, customer_id: str, version: int) -> Done | Accepted | NotApplicable:
    """Read the answer to a change.

    Raises:
        OutageError, RejectedError, UncertainError: by the table.
    """
    match answer.status, dict(answer.problem()):
        case 200 | 201, {"id": str(shown), "version": int(stands), "fields": dict(fields)} if (
            shown == customer_id and not isinstance(stands, bool)
        ):
            return Done(remote_id=shown, version=stands, fields=fields, summary=f"PUT {answer.status}")
        case 200 | 201, _:
            raise UncertainError(f"the CRM answered {answer.status} without this customer's id, version and fields")
        case 202, _:
            return Accepted()
        case 409, {"code": "stale_version", "current_version": int(current)} if current > version:
            return NotApplicable(reason=f"the CRM has version {current}, which is newer than {version}")
        case 409, {"code": "in_progress"}:
            raise UncertainError("the CRM is still executing a call with this key: 409 in_progress")
        case _:
            raise answer.refusal()


def withdrawn(answer: Answer, customer_id: str, version: int) -> Done | Accepted:
    """Read the answer to a withdrawal: what stands now, without the version that was withdrawn.

    Raises:
        OutageError, RejectedError, UncertainError: by the table.
    """
    match answer.status, dict(answer.problem()):
        case 200, {
            "id": str(shown),
            "version": int() | None as stands,
            "fields": dict(fields),
            "withdrawn": int(gone),
        } if shown == customer_id and gone == version and not isinstance(stands, bool):
            return Done(remote_id=shown, version=stands, fields=fields, summary=f"DELETE 200, withdrawn {gone}")
        case 200, _:
            raise UncertainError("the CRM answered 200 without saying what was withdrawn and what stands now")
        case 202, _:
            return Accepted()
        case 404, {"code": str(code)} if code == UNKNOWN_CUSTOMER:
            raise UncertainError("the CRM has nothing to withdraw: 404; whether that is so is asked")
        case 409, {"code": "in_progress"}:
            raise UncertainError("the CRM is still executing a call with this key: 409 in_progress")
        case _:
            raise answer.refusal()


def stands(shown: document.Document, look: Look, customer_id: str) -> Found | Absent:
    """Read what the CRM shows of a customer, with how often the effect's key was applied.

    Raises:
        LookupError: it is not this customer, or a part is missing.
    """
    match dict(shown):
        case {"id": str(found), "version": int(version), "fields": dict(fields), "applied": int(applied)} if (
            found == customer_id and not isinstance(version, bool) and not isinstance(applied, bool) and applied >= 0
        ):
            words = f"200, at version {version}, applied {applied}"
        case _:
            raise LookupError("id, version, fields and applied are wanted")
    deleted = bool(shown.get("deleted"))
    if applied == 0 and not deleted and _is_elsewhere(version, look):
        return Absent(summary=words)
    return Found(version=version, fields=fields, remote_id=found, count=max(applied, 1), deleted=deleted, summary=words)


def _is_elsewhere(version: int, look: Look) -> bool:
    """Say whether a customer to whom our key was never applied, or not any more, is plainly without the effect."""
    expected = look.operation.expected_version
    if look.operation.intent is Intent.COMPENSATION:
        return version != expected
    return version < expected
