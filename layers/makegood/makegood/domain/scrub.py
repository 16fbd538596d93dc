"""What may stay in rows and logs of what comes from outside: short text, without secrets or personal data.

No list of patterns is complete; what is known by its name or its shape is masked, and everything is short. One rule
holds for a remote's words, for errors, and for values that were compared and differ. What a person says in a decision
stays as they said it, and so does a promise in its own row.
"""

import re

ERROR_LIMIT = 200  #: characters of a remote's text that are kept
READ_LIMIT = 8 * ERROR_LIMIT  #: characters of it that are looked at

_QUOTED = r"""\\+["'].*?(?:\\+["']|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\[[^\]\n]*\]?"""
_MEANS = r"""(\\*["']?\s*(?:=>|[:=]|%3[da])\s*|["']\s*,\s*b?(?=["']))"""
_HEADER = r"((?:proxy-)?authorization|(?:set-)?cookie)"
_WORDS = r"passwor[dt]|passwd|passphrase|secret|token|(?:api|access|private|account)[_-]?key"
_NAMES = (
    rf"({_WORDS}|pwd|[_-]pass|signature|credentials?|cv[cv]2?|jwt|session[_-]?(?:id|key)|"
    r"(?<![a-z])(?:otp|pin|sig|auth(?==)))"
)
_FLAGS = re.IGNORECASE | re.MULTILINE
_SECRET = re.compile(rf"(?:{_HEADER}|{_NAMES})s?$", re.IGNORECASE)

_MASKS = (
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*", re.DOTALL), "***"),
    (re.compile(rf"{_HEADER}{_MEANS}(?:{_QUOTED}|.+)", _FLAGS), r"\1\2***"),
    (re.compile(rf"{_NAMES}{_MEANS}(?:{_QUOTED}|[^\s,;&}}\]\"']+)", _FLAGS), r"\1\2***"),
    (re.compile(rf"\b({_WORDS})(\s+(?:is\s+)?)(?=\S*\d)[^\s\"']{{8,}}", _FLAGS), r"\1\2***"),
    (re.compile(r"([?&](?:key|code)=)[^\s&#\"']{8,}", _FLAGS), r"\1***"),
    (re.compile(r"\b(bearer|basic|digest)(?:\s|%20)+[\w.~+/=%-]{6,}", _FLAGS), r"\1 ***"),
    (re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b"), "***"),
    (re.compile(r"\b(?:[spr]k_(?:live|test)_\w{8,}|gh[pousr]_\w{20,}|xox[abprs]-[\w-]{10,})"), "***"),
    (re.compile(r"\b(?:whsec_\w{8,}|glpat-[\w-]{16,}|AIza[\w-]{20,}|SG\.[\w-]{8,}\.[\w-]{8,})"), "***"),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*"), "***"),
    (re.compile(r"://[^/\s@?#]+@"), "://***@"),
    (re.compile(r"[\w.+-]{1,64}(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63})+", _FLAGS), "***@***"),
    (re.compile(r"(?<!\d)(?:(?:\d[ -]?){12,18}\d|(?:\d{4}\.){3}\d{1,7})(?!\d)"), "***"),
)


def scrubbed(text: str, *, limit: int = ERROR_LIMIT) -> str:
    """Return one printable line of at most `limit` characters in which credentials, cards and addresses are masked."""
    text = re.sub(r"[^\S\n]+", " ", text[: 8 * READ_LIMIT])
    return one_line(_masked(re.sub(r"(?: ?\n ?)+", "\n", text)), limit=limit)


def masked_value(name: str, text: str) -> str:
    """Return a value's JSON text as it may be kept: nothing of a field that is named as a secret, else as any text.

    A number or text of 13 to 19 digits goes as a card's number, whatever it counts.
    """
    return "***" if _SECRET.search(name) else _masked(text)


def _masked(text: str) -> str:
    text = text[:READ_LIMIT]
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return text


def one_line(text: str, *, limit: int) -> str:
    """Return the text as one printable line of at most `limit` characters; nothing in it is masked."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def error_line(error: BaseException) -> str:
    """Say an error's class and short text; the class alone where the error cannot even say its text."""
    try:
        text = scrubbed(str(error))
    except Exception:  # noqa: BLE001 - a team's error, whose own code is broken
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
