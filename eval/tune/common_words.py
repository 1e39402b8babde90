"""Words of English that are common enough to be read whole by the embedding, names among them."""

import json
from functools import cache
from pathlib import Path

from sayso import retrieval

_VOCABULARY = Path(retrieval.__file__).parent / "data" / "minilm-tokenizer.json"


@cache
def common_words() -> frozenset[str]:
    """Some 24,000 words in small letters, without accents; pieces of words are none of them."""
    told = json.loads(_VOCABULARY.read_text(encoding="utf-8"))
    return frozenset(word for word in told["model"]["vocab"] if not word.startswith("##"))
