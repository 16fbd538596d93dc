"""What outside text may leave in rows and logs: one short line, without secrets or personal data.

No list of patterns is complete; what is known by its name or its shape is masked, and everything is short.
"""

import re

ERROR_LIMIT = 200  #: characters of a remote's text that are kept
READ_LIMIT = 8 * ERROR_LIMIT  #: characters of it that are looked at

_QUOTED = r"""\\+["'].*?(?:\\+["']|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\[[^\]\n]*\]?"""
_MEANS = r"""(\\*["']?\s*(?:=>|[:=])\s*)"""
_HEADER = r"((?:proxy-)?authorization|(?:set-)?cookie)"
_NAMES = r"(passwor[dt]|passwd|passphrase|pwd|secret|token|(?:api|access|private)[_-]?key|signature|credentials?)"
_FLAGS = re.IGNORECASE | re.MULTILINE

_MASKS = (
    (re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*", re.DOTALL), "***"),
    (re.compile(rf"{_HEADER}{_MEANS}(?:{_QUOTED}|.+)", _FLAGS), r"\1\2***"),
    (re.compile(rf"{_NAMES}{_MEANS}(?:{_QUOTED}|[^\s,;&}}\]\"']+)", _FLAGS), r"\1\2***"),
    (re.compile(r"\b(bearer|basic|digest)(?:\s|%20)+[\w.~+/=%-]{6,}", _FLAGS), r"\1 ***"),
    (re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b"), "***"),
    (re.compile(r"\b(?:[spr]k_(?:live|test)_\w{8,}|gh[pousr]_\w{20,}|xox[abprs]-[\w-]{10,})"), "***"),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*"), "***"),
    (re.compile(r"://[^/\s@:]{0,100}:[^/\s@]{0,100}@"), "://***@"),
    (re.compile(r"[\w.+-]{1,64}(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63})+", _FLAGS), "***@***"),
    (re.compile(r"(?<!\d)(?:\d[ -]?){12,18}\d(?!\d)"), "***"),
)


def scrubbed(text: str, *, limit: int = ERROR_LIMIT) -> str:
    """Return one printable line of at most `limit` characters in which credentials, cards and addresses are masked."""
    text = re.sub(r"[^\S\n]+", " ", text[: 8 * READ_LIMIT])
    text = re.sub(r"(?: ?\n ?)+", "\n", text)[:READ_LIMIT]
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    return one_line(text, limit=limit)


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
