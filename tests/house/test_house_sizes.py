"""Is every file short enough to be read in one go, and every function short enough to be seen at once?"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("layers", "functions", "cli", "mutants", "benchmarks", "tests")
LONGEST_FILE = 250  #: lines; the aim is 30 to 150
LONGEST_FUNCTION = 30  #: lines of body, docstring not counted

Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources() -> list[Path]:
    """Return every Python file of the house, sorted."""
    return sorted(path for folder in CODE for path in (ROOT / folder).rglob("*.py"))


def functions(tree: ast.AST) -> Iterator[Function]:
    """Yield every function and method, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def body_length(function: Function) -> int:
    """Count the lines of a function's body, without its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    if not body:
        return 0
    return (body[-1].end_lineno or body[-1].lineno) - body[0].lineno + 1


def test_no_file_is_longer_than_a_reading() -> None:
    lengths = {path.relative_to(ROOT): len(path.read_text().splitlines()) for path in sources()}
    too_long = [f"{path}: {length} lines" for path, length in lengths.items() if length > LONGEST_FILE]
    assert not too_long, f"at most {LONGEST_FILE} lines each; split them by what they know:\n" + "\n".join(too_long)


def test_no_function_is_longer_than_thirty_lines() -> None:
    too_long = [
        f"{path.relative_to(ROOT)}:{function.lineno} {function.name}: {body_length(function)} lines"
        for path in sources()
        for function in functions(ast.parse(path.read_text()))
        if body_length(function) > LONGEST_FUNCTION
    ]
    assert not too_long, f"at most {LONGEST_FUNCTION} lines each; name the steps:\n" + "\n".join(too_long)


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("def f():\n    '''Say.'''", 0),
        ("def f():\n    return 1", 1),
        ("def f():\n    '''Say.\n\n    More.\n    '''\n    a = 1\n\n    return (\n        a\n    )", 5),
    ],
)
def test_a_body_is_measured_without_its_docstring(source: str, lines: int) -> None:
    assert [body_length(function) for function in functions(ast.parse(source))] == [lines]
