import json
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from langgraph.graph.state import CompiledStateGraph

from sayso.assembly import agent_graph, deps_for, import_export, load_chat
from sayso.chats.importers.report import ImportOptions
from sayso.core.models import Question, Trail
from sayso.core.seams import Deps
from sayso.errors import ChatNotFoundError
from sayso.modes import MODES
from sayso.settings import Settings

ROOT = Path(__file__).parents[1]
HEADER = {
    "sayso": "chat", "version": 1, "chatId": "move", "title": "The move", "platform": "invented",
    "timezone": "Asia/Shanghai", "participants": ["Marisol", "Theo"],
}  # fmt: skip
SAID = (
    ("Marisol", "2024-05-01T09:00:00+08:00", "Good morning! Did you sleep well?"),
    ("Theo", "2024-05-01T09:01:00+08:00", "like a stone"),
    ("Marisol", "2024-05-02T00:30:00+08:00", "cannot sleep, the boiler is leaking again"),
    ("Theo", "2024-05-08T10:00:00+08:00", "I saw a flat by the canal yesterday. Loved it"),
    ("Marisol", "2024-05-20T18:00:00+08:00", "the landlord of the canal flat accepted our offer!"),
    ("Theo", "2024-06-11T20:00:00+08:00", "moved the last box into the canal flat today"),
    ("Marisol", "2024-06-12T08:00:00+08:00", "My sister teaches violin in Porto"),
)


@pytest.fixture
def export(tmp_path):
    path = tmp_path / "move.jsonl"
    lines = [HEADER] + [
        {"localId": i, "sender": who, "sentAt": at, "text": text, "kind": "text"}
        for i, (who, at, text) in enumerate(SAID, 1)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def deps(export, tmp_path) -> Deps:
    chat = load_chat(str(export), home=tmp_path / "home")
    return deps_for(chat, Settings(), home=tmp_path / "home")


def asked(mode: str, question: str, deps: Deps) -> Trail:
    return MODES[mode](Question(text=question, chat_id=deps.chat.chat_id), deps)


both = pytest.mark.parametrize("mode", ["agent", "oneshot"])


@both
def test_a_question_is_answered_with_the_message_that_says_so(mode, deps):
    trail = asked(mode, "Who teaches violin?", deps)

    assert 7 in trail.answer.local_ids
    assert not trail.answer.abstained
    cited = {e.local_id: e for e in trail.answer.evidence}[7]
    text = deps.chat.by_id[7].text
    assert text[cited.start : cited.end] == cited.quote
    assert cited.doc_id == "move#7"
    assert trail.mode == mode


@both
def test_a_message_after_midnight_is_found_on_its_day_in_the_chats_timezone(mode, deps):
    trail = asked(mode, "What did Marisol say on the 2nd?", deps)

    assert trail.plan.since.isoformat() == "2024-05-02T00:00:00+08:00"
    assert trail.plan.people == ("Marisol",)
    assert 3 in trail.answer.local_ids


@both
def test_a_relative_date_is_resolved_from_the_day_of_its_message(mode, deps):
    trail = asked(mode, "When did Theo see the flat by the canal?", deps)

    assert 4 in trail.answer.local_ids
    assert trail.answer.text.startswith("7 May 2024.")


@both
def test_a_development_is_told_in_phases(mode, deps):
    phases = asked(mode, "How did the plan with the canal flat develop?", deps).answer.phases

    assert 2 <= len(phases) <= 5
    assert all(p.title and p.summary and p.evidence for p in phases)
    assert [p.start for p in phases] == sorted(p.start for p in phases)
    assert {4, 5, 6} <= {e.local_id for p in phases for e in p.evidence}


@both
@pytest.mark.parametrize("question", ["zxqv blorp?", "鲸鱼呢？", "quantum chromodynamics?"])
def test_what_nothing_in_the_chat_speaks_of_is_not_answered(mode, question, deps):
    trail = asked(mode, question, deps)

    assert trail.answer.abstained
    assert trail.answer.evidence == ()
    assert trail.answer.text
    assert trail.stop_reason == "nothing found"


@both
def test_an_empty_chat_is_answered_with_an_abstention(mode, tmp_path, deps):
    empty = deps.chat.model_copy(update={"messages": ()})

    trail = asked(mode, "When did Theo call?", deps_for(empty, Settings(), home=tmp_path))

    assert trail.answer.abstained
    assert trail.stop_reason == "nothing found"


@both
def test_a_whole_trail_of_the_extractive_engine_survives_json(mode, deps):
    trail = asked(mode, "How did the plan with the canal flat develop in May?", deps)

    assert Trail.model_validate_json(trail.model_dump_json(by_alias=True)) == trail


@both
def test_the_same_question_gives_the_same_answer(mode, deps):
    first, again = (asked(mode, "Who found the canal flat?", deps) for _ in range(2))

    assert first.answer == again.answer
    assert first.ranking == again.ranking


def test_both_modes_search_with_one_retriever(deps):
    agent, oneshot = (asked(m, "Who teaches violin?", deps) for m in ("agent", "oneshot"))

    assert agent.ranking[0] == oneshot.ranking[0]


def test_an_import_stores_the_chat_and_its_index(export, tmp_path):
    heard: list[tuple[int, int]] = []
    home = tmp_path / "home"

    (done,) = import_export(
        export, ImportOptions(), home=home, progress=lambda *at: heard.append(at)
    )

    assert (done.chat.chat_id, len(done.chat.messages), done.index_note) == (
        "move", 7, "index built"
    )  # fmt: skip
    assert heard[-1] == (7, 7)
    chat = load_chat(None, home=home)
    assert chat == done.chat
    heard.clear()
    deps_for(chat, Settings(), home=home, progress=lambda *at: heard.append(at))
    assert heard == []


def test_a_chat_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ChatNotFoundError, match="nobody"):
        load_chat("nobody", home=tmp_path / "home")


def test_the_settings_budget_reaches_the_modes(export, tmp_path):
    chat = load_chat(str(export), home=tmp_path)
    deps = deps_for(chat, Settings(rounds=1, pool=2), home=tmp_path)

    trail = asked("agent", "What are all the canal things?", deps)

    assert deps.budget.rounds == 1
    assert len(trail.rounds) == 1
    assert len(trail.ranking) <= 2 + 2


def test_langgraph_json_names_a_factory_of_the_compiled_graph():
    named = json.loads((ROOT / "langgraph.json").read_text(encoding="utf-8"))
    path, _, factory = named["graphs"]["agent"].partition(":")
    # As the LangGraph server does it: the file is loaded by its path.
    spec = spec_from_file_location("named_by_langgraph_json", ROOT / path)
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
        graph = getattr(module, factory)()
    finally:
        del sys.modules[spec.name]

    assert isinstance(graph, CompiledStateGraph)
    assert graph.context_schema is Deps
    assert agent_graph() is graph


def imported_by(code: str, *names: str) -> list[str]:
    program = f"import sys\n{code}\nprint([m for m in {names!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.strip().splitlines()[-1].replace("'", '"'))


def test_the_table_of_modes_imports_nothing_heavy():
    heavy = ("langgraph", "langchain_core", "langsmith", "numpy", "onnxruntime")

    assert imported_by("import sayso.modes", *heavy) == []
    assert imported_by("import sayso.assembly", *heavy) == []


def test_help_imports_nothing_heavy():
    code = "from sayso.cli.main import run\ntry:\n    run(['--help'])\nexcept SystemExit:\n    pass"

    assert imported_by(code, "langgraph", "langchain_core", "langsmith", "numpy") == []


def test_oneshot_answers_without_ever_importing_langgraph(export, tmp_path):
    code = f"""
from pathlib import Path
from sayso.assembly import deps_for, load_chat
from sayso.core.models import Question
from sayso.modes import MODES
from sayso.settings import Settings
home = Path({str(tmp_path)!r})
chat = load_chat({str(export)!r}, home=home)
trail = MODES["oneshot"](
    Question(text="Who teaches violin?", chat_id=chat.chat_id), deps_for(chat, Settings(), home=home)
)
assert 7 in trail.answer.local_ids
"""

    assert imported_by(code, "langgraph", "langchain_core") == ["langchain_core"]
