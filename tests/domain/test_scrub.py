"""Does outside text leave neither secrets nor forged lines in a row?"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makegood.domain.scrub import ERROR_LIMIT, error_line, scrubbed

from tests.domain.strategies import texts

HUSH = "hunter2-Zq81"
LEAKS = [
    f"Authorization: Bearer {HUSH}",
    f"authorization = Bearer {HUSH}, retry later",
    f"Proxy-Authorization: Basic {HUSH}",
    f'Authorization: Digest username="bob", response="{HUSH}"',
    f"Authorization: AWS4-HMAC-SHA256 Credential=x/y, SignedHeaders=host, Signature={HUSH}",
    f'401 {{"headers": {{"Authorization": "Bearer {HUSH}"}}}}',
    f"{{'authorization': ['Bearer {HUSH}']}}",
    f"sent with bearer {HUSH}",
    f"Cookie: theme=dark; session={HUSH}",
    f"Set-Cookie: sid={HUSH}; Path=/",
    f'{{"cookie": "theme=dark; session={HUSH}"}}',
    f"X-Api-Key: {HUSH}",
    f"X-Amz-Security-Token={HUSH}",
    f"https://crm.example/v1?api_key={HUSH}&x=1",
    f"https://crm.example/v1?access_token={HUSH}",
    f"https://bucket.s3.amazonaws.com/k?X-Amz-Signature={HUSH}",
    f"https://alice:{HUSH}@localhost:8080/v1",
    f"postgres://alice:{HUSH}@db/crm",
    f"password={HUSH}",
    f'password = "my {HUSH} words"',
    f'{{"clientSecret": "{HUSH}"}}',
    f'{{"apiKey" : "with \\" quote {HUSH}"}}',
    f"{{'passwd': '{HUSH}'}}",
    json.dumps({"body": json.dumps({"password": f"my {HUSH}"})}),
    json.dumps(json.dumps({"body": json.dumps({"token": HUSH})})),
    f"AKIA{'A' * 12}{HUSH}"[:20] + f" secret_access_key: {HUSH}",
    f"-----BEGIN RSA PRIVATE KEY-----\n{HUSH}\n-----END RSA PRIVATE KEY-----",
    f"token => {HUSH}",
    f"https://{HUSH}@localhost/x",
    f"https://alice:{'x' * 120}{HUSH}@localhost/x",
    f"Max retries exceeded with url: /v1/x?key={HUSH}&page=2",
    f"GET /callback?code={HUSH}&state=7",
    f"GET /blob?sv=2022&sig={HUSH}",
    f"DefaultEndpointsProtocol=https;AccountKey={HUSH};EndpointSuffix=x",
    f"password is {HUSH}",
    f"mysql --password {HUSH} --host db",
    f"apikey {HUSH} is not valid",
    f"Token {HUSH}",
    f"password%3D{HUSH}",
    f"headers=(('x-api-key', '{HUSH}'), ('accept', '*/*'))",
    f"[(b'x-auth-token', b'{HUSH}')]",
    f"session_id={HUSH}",
    f"jwt={HUSH}",
    f"DB_PASS={HUSH}",
    f"otp: {HUSH}",
    f"auth={HUSH}",
    " " * 5_000 + f"password: {HUSH}",
]


@pytest.mark.parametrize("text", LEAKS)
def test_no_credential_is_left(text: str) -> None:
    assert HUSH not in scrubbed(text)
    assert HUSH not in error_line(RuntimeError(text))


@pytest.mark.parametrize(
    "text",
    [
        "card 4111111111111111 declined",
        "card 4111 1111 1111 1111 declined",
        "card=4111-1111-1111-1111",
        "card_4111111111111111",
        "pan:378282246310005.",
        "\n" * 3_000 + "card 4111 1111 1111 1111",
        "mail bob.smith+crm@example.co.uk now",
        "mail=bob.smith%40example.com&x=1",
        "(bob.smith@exämple.example)",
        "card 4111.1111.1111.1111 declined",
        "sk_live_411111111111example",
        "whsec_411111111111example",
        "AIzaSy4111111111111111111111example",
        "SG.41111111.41111111",
        "ghp_4111111111111111111111111111111111",
        "eyJ4111111111.bob.smith",
    ],
)
def test_no_card_address_or_well_known_key_is_left(text: str) -> None:
    left = scrubbed(text)
    assert "***" in left
    assert not [part for part in ("bob", "smith", "4111", "378282", "1111") if part in left]


@pytest.mark.parametrize(
    "text",
    [
        "422 the plan 'gold' is not sold any more",
        "HTTP 429, Retry-After 30",
        "customer/452 has version 8, 7 was sent",
        "token expired",
        "the secret has no version for 2026",
        "shipping: express, author: unknown, opinion: none",
        "auth: 2 of 3 steps done",
        "GET /v1/x?page=2&barcode=77&keys=3",
        "calls 10.0.0.17 and 192.168.100.200, release 2026.11.30",
        "request 7f3a-11 took 1234 ms on 10.0.0.17",
    ],
)
def test_what_a_person_needs_is_left(text: str) -> None:
    assert scrubbed(text) == text


FORGED = 'x\r\n{"level":"ERROR","message":"all is lost"}\x00\x1b[31m\u2028\u202e\ud800'


def test_nothing_can_begin_a_new_line_or_steer_a_terminal() -> None:
    line = scrubbed(FORGED)
    assert line.isprintable()
    assert len(line.splitlines()) == 1
    line.encode()


def test_a_long_text_is_cut_and_says_so() -> None:
    assert scrubbed("word " * 200).endswith("…")
    assert len(scrubbed("word " * 200)) == ERROR_LIMIT


def test_an_error_without_text_is_its_class() -> None:
    assert error_line(TimeoutError()) == "TimeoutError"
    assert error_line(ValueError(" \n ")) == "ValueError"


@given(texts, st.integers(1, 300))
def test_any_text_becomes_one_short_printable_line(text: str, limit: int) -> None:
    line = scrubbed(text, limit=limit)
    assert len(line) <= limit
    assert line.isprintable()
    assert line == line.strip()
