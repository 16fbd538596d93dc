"""Does what `make build` made stand on its own? Nothing here needs Docker; `make build` must have run."""

import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILT = ROOT / ".aws-sam/build"
LAYERS = [BUILT / "MakegoodLayer/python", BUILT / "CatalogLayer/python"]
UNCHECKED_HASH = 1  #: the flags of a .pyc that is believed whatever its source's date (PEP 552)
UNWANTED = ("boto3", "aws_xray_sdk", "pydantic", "moto")

LOOK = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
import app, catalog
print(json.dumps({name: getattr(module, "__file__", None) for name, module in sys.modules.items()}))
"""


@pytest.fixture(scope="module", autouse=True)
def build() -> None:
    """Say what is wanted where nothing has been built."""
    assert BUILT.is_dir(), "run `make build` first"


def runtime_python() -> str:
    """Return the path of a Python of the runtime's version, nobody's environment."""
    found = subprocess.run([str(ROOT / "tools/find-python"), "3.13"], check=True, capture_output=True, text=True)
    return found.stdout.strip()


def modules_of(door: str) -> dict[str, str | None]:
    """Import a built door with only its own folders in reach; return what got loaded, from where."""
    path = json.dumps([str(folder) for folder in (BUILT / door, *LAYERS)])
    command = [runtime_python(), "-I", "-S", "-c", LOOK, path]
    answer = subprocess.run(command, check=False, capture_output=True, text=True, env={})
    assert answer.returncode == 0, answer.stderr
    modules: dict[str, str | None] = json.loads(answer.stdout)
    return modules


@pytest.mark.parametrize("door", ["WorkerFunction", "ReconcilerFunction"])
def test_a_built_door_imports_with_nothing_but_the_layers(door: str) -> None:
    modules = modules_of(door)
    loaded = {module.partition(".")[0] for module in modules}
    assert {"makegood", "catalog", "botocore", "pynamodb", "aws_lambda_powertools"} <= loaded
    assert not loaded & set(UNWANTED)


def believed_at_once(source: Path) -> bool:
    """Say whether a module lies beside byte code that no date can invalidate."""
    compiled = source.parent / "__pycache__" / f"{source.stem}.cpython-313.pyc"
    return compiled.is_file() and int.from_bytes(compiled.read_bytes()[4:8], "little") == UNCHECKED_HASH


def test_the_layers_byte_code_is_believed_at_a_cold_start() -> None:
    sources = [source for layer in LAYERS for source in layer.rglob("*.py")]
    assert sources
    assert [source for source in sources if not believed_at_once(source)] == []
