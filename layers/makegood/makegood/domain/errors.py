"""The errors of Makegood, all under one base.

    MakegoodError
    ├── InvalidInput            what a caller gave cannot be accepted; nothing was stored
    ├── ConflictError           the id is taken by an operation with another intent
    ├── NotFoundError           no operation has this id
    ├── ImpossibleTransition    the table of transitions does not allow this move
    ├── UnreadableRow           a stored row cannot be understood; it is named and left alone
    ├── UnsafePolicy            an operation type's policy breaks a rule; it is not registered
    ├── SettingsError           the environment lacks a value, or two values contradict each other
    └── StoreError              the store did not do what was asked, for a reason other than a lost race

What `perform` may raise stands in `outcome`: those are answers, not faults of Makegood.
"""


class MakegoodError(Exception):
    """The base of every error that Makegood raises on purpose."""


class InvalidInput(MakegoodError):
    """What was given cannot be accepted; nothing was stored."""


class ConflictError(MakegoodError):
    """The operation id is taken by an operation with another intent."""


class NotFoundError(MakegoodError):
    """No operation has this id."""


class ImpossibleTransition(MakegoodError):
    """The table of transitions does not allow this move; nothing was written.

    `lacks` are the guards that do not hold, where it is for them.
    """

    def __init__(self, message: str, *, lacks: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.lacks = lacks


class UnreadableRow(MakegoodError):
    """A stored row cannot be understood; it is named and left alone."""


class UnsafePolicy(MakegoodError):
    """An operation type's policy breaks a rule; the type is not registered."""


class SettingsError(MakegoodError):
    """The environment lacks a value, or two values contradict each other."""


class StoreError(MakegoodError):
    """The store did not do what was asked, for a reason other than a lost race."""
