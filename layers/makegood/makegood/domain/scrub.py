"""What outside text may leave in rows and logs: one short line, without secrets or personal data."""

import re

ERROR_LIMIT = 200  #: characters of a remote's text that are kept

_SECRETS = (
    (
        re.compile(
            r"(?i)\b(authorization|proxy-authorization|cookie|set-cookie|x-api-key)\b(\s*[:=]\s*|['\"]\s*:\s*['\"]?)[^\r\n,;}\"']+"
        ),
        r"\1\2***",
    ),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}"), r"\1 ***"),
    (
        re.compile(
            r"(?i)\b([a-z_-]*(?:password|passwd|secret|token|api[_-]?key))\b(\s*[:=]\s*|['\"]\s*:\s*['\"]?)[^\s,;}\"'&]+"
        ),
        r"\1\2***",
    ),
    (re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b"), "***"),
    (re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"), "***"),
    (re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+"), "***@***"),
    (re.compile(r"(?<![\w-])(?:\d[ -]?){13,19}(?![\w-])"), "***"),
)


def scrubbed(text: str, *, limit: int = ERROR_LIMIT) -> str:
    """Return one printable line of at most `limit` characters in which credentials, cards and addresses are masked."""
    text = text[: limit * 8]
    for pattern, mask in _SECRETS:
        text = pattern.sub(mask, text)
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def error_line(error: BaseException) -> str:
    """Say an error's class and short text; the class alone where the error cannot even say its text."""
    try:
        text = scrubbed(str(error))
    except Exception:  # noqa: BLE001 - a team's error, whose own code is broken
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
