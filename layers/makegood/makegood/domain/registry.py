"""The operation types that a release knows, each with the terms it is kept by."""

import inspect
from collections.abc import Iterable, Mapping

from makegood.domain.errors import InvalidInput, UnsafePolicy
from makegood.domain.limits import Limits
from makegood.domain.operation import operation_type_name
from makegood.domain.operation_type import OperationType, Remotes
from makegood.domain.policy import Capability, Policy, Step, Terms


class Registry:
    """Operation types by name. A type is built when it is first needed: importing asks nothing of the deployment."""

    def __init__(self, types: Iterable[type[OperationType]], *, limits: Limits, remotes: Remotes) -> None:
        """Check and keep the types.

        Raises:
            UnsafePolicy: naming the type, the rule it breaks and why that matters.
        """
        self._remotes = remotes
        self._classes: dict[str, type[OperationType]] = {}
        self._built: dict[str, OperationType] = {}
        terms: dict[str, Terms] = {}
        for cls in types:
            name = _name_of(cls)
            if name in self._classes:
                raise UnsafePolicy(f"operation type {name}: two classes carry this name")
            self._classes[name] = cls
            terms[name] = _terms(cls, limits)
        self.terms: Mapping[str, Terms] = terms

    def build(self, name: str) -> OperationType:
        """Return the operation type of this name, building it on first use.

        Raises:
            InvalidInput: if this release does not know it.
        """
        self._require(name)
        if name not in self._built:
            self._built[name] = self._classes[name](self._remotes)
        return self._built[name]

    def class_of(self, name: str) -> type[OperationType]:
        """Return the class of a type, to read what it says of itself.

        Raises:
            InvalidInput: if this release does not know it.
        """
        self._require(name)
        return self._classes[name]

    def acknowledgement_secret(self, name: str) -> str:
        """Return what a type's acknowledgements are signed with.

        Raises:
            InvalidInput: this release does not know the type, it takes no acknowledgements, or no secret is deployed.
        """
        secret_name = self.class_of(name).acknowledged_with
        if secret_name is None:
            raise InvalidInput(f"operation type {name} takes no acknowledgements")
        secret = self._remotes.secret(secret_name)
        if not secret:
            raise InvalidInput(f"no secret {secret_name!a} is deployed, so nobody can check who acknowledges")
        return secret

    def terms_of(self, name: str) -> Terms:
        """Return the terms of a type.

        Raises:
            InvalidInput: if this release does not know it.
        """
        self._require(name)
        return self.terms[name]

    def _require(self, name: str) -> None:
        if not isinstance(name, str) or name not in self._classes:
            known = ", ".join(sorted(self._classes)) or "none"
            raise InvalidInput(f"operation type {str(name)[:64]!a} is not known here; known are: {known}")


def _name_of(cls: type[OperationType]) -> str:
    if not (isinstance(cls, type) and issubclass(cls, OperationType)):
        raise UnsafePolicy(
            f"{repr(cls)[:80]!a} is no operation type: a class that derives from OperationType is wanted"
        )
    if not isinstance(getattr(cls, "name", None), str):
        raise UnsafePolicy(f"operation type {cls.__name__} is not registered: its name must be a text of the class")
    return operation_type_name(cls.name)


def _terms(cls: type[OperationType], limits: Limits) -> Terms:
    try:
        _check_shape(cls)
        terms = cls.policy.under(limits)
        _check_abilities(cls)
    except UnsafePolicy as error:
        raise UnsafePolicy(f"operation type {cls.name} is not registered: {error}") from error
    return terms


def _check_shape(cls: type[OperationType]) -> None:
    if not isinstance(getattr(cls, "policy", None), Policy):
        raise UnsafePolicy("its policy must be a Policy")
    if inspect.isabstract(cls):
        raise UnsafePolicy(f"it has no {', '.join(sorted(cls.__abstractmethods__))}, so nothing could ever be done")
    for name in ("perform", "observe", "compensate"):
        method = getattr(cls, name)
        if inspect.iscoroutinefunction(method) or inspect.isgeneratorfunction(method):
            raise UnsafePolicy(f"its {name} must be a plain function: nobody awaits or iterates it")


def _check_abilities(cls: type[OperationType]) -> None:
    policy, observes = cls.policy, cls.observe is not OperationType.observe
    if policy.capability.can_ask and not observes:
        raise UnsafePolicy(f"it declares {policy.capability} and has no observe, so nothing could ever be proven")
    if observes and not policy.capability.can_ask:
        raise UnsafePolicy(f"it has an observe, but declares {policy.capability}, so nobody would ever ask")
    if Step.COMPENSATE in (policy.on_divergent, policy.on_cancelled) and not can_compensate(cls):
        raise UnsafePolicy("its policy leads to compensate, and it has no compensate")
    if policy.capability is Capability.ACKNOWLEDGEMENT_ONLY and cls.acknowledged_with is None:
        raise UnsafePolicy("it declares acknowledgement_only and names no secret in acknowledged_with to check them by")


def can_compensate(cls: type[OperationType]) -> bool:
    """Say whether a type can undo its effect."""
    return cls.compensate is not OperationType.compensate
