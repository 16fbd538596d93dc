"""How far each mode lets a type go by itself, said to people."""

from __future__ import annotations

from makegood.domain.choices import Capability, Mode, Step

#: Where a mode may be raised to, and the steps that would then be taken without a person.
NEXT = {
    Mode.OBSERVE: (Mode.CONFIRM, (Step.CONFIRM,)),
    Mode.CONFIRM: (Mode.CORRECT, (Step.REQUEUE, Step.COMPENSATE)),
}
MODES = {
    Mode.OBSERVE: "every verdict goes to a person, with what would have been done",
    Mode.CONFIRM: "proof is recorded; the rest goes to a person, with what would have been done",
    Mode.CORRECT: "the policy's step is taken",
}
CAPABILITIES = {
    Capability.BY_KEY: "asked by the idempotency key or the operation's id",
    Capability.BY_BUSINESS_KEY: "asked by a key of the business; several matches are ambiguous",
    Capability.ACKNOWLEDGEMENT_ONLY: "cannot be asked; it acknowledges by itself, signed",
    Capability.NOT_OBSERVABLE: "cannot be asked; what may have been applied is a person's to see",
}
STEPS = {
    Step.CONFIRM: "record the proof",
    Step.REQUEUE: "send it again",
    Step.COMPENSATE: "undo the effect",
    Step.CLOSE: "end it without effect",
    Step.REVIEW: "put it in front of a person",
}


def withholds(mode: Mode, step: Step) -> bool:
    """Say whether a mode leaves a step to a person."""
    while mode in NEXT:
        mode, steps = NEXT[mode]
        if step in steps:
            return True
    return False
