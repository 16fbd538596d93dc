"""The operation types that a release knows, each with the terms it is kept by."""

from collections.abc import Iterable, Mapping

from makegood.domain.errors import InvalidInput, UnsafePolicy
from makegood.domain.limits import Limits
from makegood.domain.operation import operation_type_name
from makegood.domain.operation_type import OperationType, Remotes
from makegood.domain.policy import Terms


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
            name = operation_type_name(cls.name)
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


def _terms(cls: type[OperationType], limits: Limits) -> Terms:
    try:
        return cls.policy.under(limits)
    except UnsafePolicy as error:
        raise UnsafePolicy(f"operation type {cls.name} is not registered: {error}") from error
