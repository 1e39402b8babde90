import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sayso import errors

ROOT = Path(__file__).parents[1]
MODULES = sorted(p for folder in ("src/sayso", "eval") for p in (ROOT / folder).rglob("*.py"))
LANGCHAIN_ROOMS = (
    "src/sayso/reasoning/chat_messages.py",
    "src/sayso/reasoning/chat_model.py",
    "src/sayso/retrieval/langchain_embeddings.py",
    "src/sayso/oneshot/",
    "src/sayso/agent/",
)
COMMANDS_MAY_PRINT = ("src/sayso/cli/", "eval/")


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> Iterator[tuple[str, ast.stmt]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), node


def importing(*packages: str) -> set[str]:
    return {
        where(path)
        for path in MODULES
        for name, _ in imports(path)
        if name.split(".")[0] in packages
    }


def test_imports_only_go_down_the_floors():
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_langgraph_lives_only_in_the_agents_room():
    assert {m.rsplit("/", 1)[0] for m in importing("langgraph")} == {"src/sayso/agent"}


def test_langchain_is_imported_only_where_it_may_be():
    users = importing("langchain_core", "langchain_openai", "langchain", "langsmith")

    assert users
    assert all(user.startswith(LANGCHAIN_ROOMS) for user in users)


def foreign(room: str, *allowed: str) -> set[tuple[str, str]]:
    """What the room's modules import beside the standard library and the packages allowed."""
    return {
        (where(path), name)
        for path in MODULES
        if where(path).startswith(room)
        for name, _ in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names
        if not any(name == root or name.startswith(f"{root}.") for root in allowed)
    }


def test_the_core_needs_nothing_but_the_standard_library_and_pydantic():
    assert foreign("src/sayso/core/", "sayso.core", "sayso.errors", "pydantic") == set()


def test_the_metrics_need_nothing_but_the_standard_library_numpy_and_the_core():
    assert foreign("eval/metrics/", "eval.metrics", "sayso.core", "numpy") == set()


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_a_module_keeps_the_house_rules(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))

    assert ast.get_docstring(tree), "says what it is"
    assert path.stem not in {"utils", "helpers", "common", "manager", "misc"}
    assert not any(name.startswith(".") for name, _ in imports(path)), "imports by full name"
    assert not any(
        isinstance(node, ast.Import) and name.split(".")[0] == "eval"
        for name, node in imports(path)
    ), "`import eval` would hide the builtin"
    if path.name == "__init__.py":
        names = (ast.Import, ast.ImportFrom, ast.Assign, ast.Expr)
        assert all(isinstance(node, names) for node in tree.body), "holds names alone"
    if not where(path).startswith(COMMANDS_MAY_PRINT):
        called = [n.func for n in ast.walk(tree) if isinstance(n, ast.Call)]
        assert not any(isinstance(f, ast.Name) and f.id == "print" for f in called)


def test_every_error_is_drawn_in_the_tree():
    classes = {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    drawn = re.findall(r"(\w+Error)\b", errors.__doc__ or "")

    assert set(drawn) == set(classes)
    assert all(issubclass(c, errors.SaysoError) for c in classes.values())


def test_nothing_raises_an_error_that_says_nothing_of_its_kind():
    vague = {
        (where(path), node.exc.func.id)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and isinstance(node.exc.func, ast.Name)
        and node.exc.func.id in ("Exception", "BaseException", "RuntimeError")
    }

    assert vague == set()
