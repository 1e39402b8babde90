import sys
from types import ModuleType

import pytest
from langchain_core.embeddings import Embeddings

from sayso.errors import ConfigurationError, StoreError
from sayso.retrieval.langchain_embeddings import LangChainEmbeddings


class Lengths(Embeddings):
    """Two numbers a text: its length and a three."""

    def __init__(self):
        self.batches = []

    def embed_documents(self, texts):
        self.batches.append(list(texts))
        return [[float(len(t)), 3.0] for t in texts]

    def embed_query(self, text):
        return [3.0, float(len(text))]


@pytest.fixture
def factory(monkeypatch):
    """Names a factory of the given thing as the user would."""

    def named(made) -> str:
        module = ModuleType("my_embeddings")
        module.made = lambda: made
        monkeypatch.setitem(sys.modules, "my_embeddings", module)
        return "my_embeddings:made"

    return named


def test_messages_and_queries_become_unit_vectors_by_their_own_ways(factory):
    embedder = LangChainEmbeddings(factory(Lengths()))

    said, asked = embedder.encode(["four"]), embedder.encode_queries(["four"])

    assert said.vectors.tolist() == [pytest.approx([0.8, 0.6])]
    assert asked.vectors.tolist() == [pytest.approx([0.6, 0.8])]
    assert (said.tokens.shape, said.counts.tolist()) == ((0, 96), [0])
    assert embedder.dimensions == 2


def test_the_cache_is_keyed_by_the_configured_name(factory):
    assert (
        LangChainEmbeddings("openai:text-embedding-3-small").name
        == "langchain openai:text-embedding-3-small"
    )
    assert LangChainEmbeddings(factory(Lengths())).name == "langchain my_embeddings:made"


def test_a_blank_text_is_zero_and_goes_nowhere(factory):
    model = Lengths()

    said = LangChainEmbeddings(factory(model)).encode(["", "four", " \n"])

    assert said.vectors.tolist() == [[0, 0], pytest.approx([0.8, 0.6]), [0, 0]]
    assert model.batches == [["four"]]


def test_texts_go_in_batches_and_progress_hears_of_each(factory):
    model, heard = Lengths(), []

    LangChainEmbeddings(factory(model)).encode(["four"] * 300, lambda *at: heard.append(at))

    assert [len(b) for b in model.batches] == [128, 128, 44]
    assert heard == [(128, 300), (256, 300), (300, 300)]


def test_the_dimensions_of_no_text_are_learned_from_a_word(factory):
    assert LangChainEmbeddings(factory(Lengths())).encode([]).vectors.shape == (0, 2)


@pytest.mark.parametrize("configured", ["openai", ":x", "openai:", ""])
def test_a_name_of_another_form_is_an_error(configured):
    with pytest.raises(ConfigurationError, match="module:factory"):
        LangChainEmbeddings(configured)


@pytest.mark.parametrize(
    "configured", ["no_such_module:made", "json:no_such_factory", "json:JSONDecoder"]
)
def test_a_name_that_gives_no_embeddings_is_an_error_at_the_first_text(configured):
    embedder = LangChainEmbeddings(configured)

    with pytest.raises(ConfigurationError, match=configured):
        embedder.encode(["x"])


class Broken(Lengths):
    def __init__(self, reply):
        self.reply = reply

    def embed_documents(self, texts):
        if isinstance(self.reply, BaseException):
            raise self.reply
        return self.reply


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(OSError("no connection"), id="raises"),
        pytest.param([], id="too few"),
        pytest.param([[float("nan"), 1.0]], id="not a number"),
        pytest.param([1.0], id="no vectors"),
        pytest.param(SystemExit(7), id="ends the process"),
        pytest.param([[]], id="vectors without numbers"),
        pytest.param([[1e38, 1e38]], id="too long for float32"),
        pytest.param([[1e-30, 1e-30]], id="too short for float32"),
    ],
)
def test_vectors_that_cannot_be_had_are_an_error_that_names_the_embeddings(reply, factory):
    with pytest.raises(StoreError, match="my_embeddings:made"):
        LangChainEmbeddings(factory(Broken(reply))).encode(["x"])


def test_a_factory_that_ends_the_process_is_an_error_that_says_so(monkeypatch):
    module = ModuleType("my_embeddings")
    module.made = lambda: sys.exit(7)
    monkeypatch.setitem(sys.modules, "my_embeddings", module)

    with pytest.raises(ConfigurationError, match=r"my_embeddings:made.*SystemExit 7"):
        LangChainEmbeddings("my_embeddings:made").check()


def test_vectors_of_another_length_than_before_are_an_error(factory):
    model = Broken([[1.0, 2.0]])
    embedder = LangChainEmbeddings(factory(model))
    embedder.encode(["x"])
    model.reply = [[1.0, 2.0, 3.0]]

    with pytest.raises(StoreError, match="3 numbers"):
        embedder.encode(["y"])


class Remote(Lengths):
    """Embeddings that say where they are."""

    def __init__(self, base_url: str | None) -> None:
        super().__init__()
        self.base_url = base_url


def on_this_machine(address: str) -> bool:
    return "127.0.0.1" in address


def test_embeddings_elsewhere_are_refused_where_only_this_machine_may_be_called(factory):
    model = Remote("https://vectors.example/v1")
    embedder = LangChainEmbeddings(factory(model), admits=on_this_machine)

    with pytest.raises(ConfigurationError, match=r"offline: .* are on vectors\.example"):
        embedder.encode(["four"])

    assert model.batches == []


def test_openais_own_are_refused_there_by_the_address_that_its_client_has(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    embedder = LangChainEmbeddings("openai:text-embedding-3-small", admits=on_this_machine)

    with pytest.raises(ConfigurationError, match=r"offline: .* are on api\.openai\.com"):
        embedder.encode_queries(["four"])


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/v1", None], ids=["here", "not told"])
def test_embeddings_on_this_machine_or_that_tell_no_address_are_not(factory, address):
    embedder = LangChainEmbeddings(factory(Remote(address)), admits=on_this_machine)

    assert embedder.encode(["four"]).vectors.shape == (1, 2)
