"""Where LangSmith's own variables have traces posted to, so that it can be said before they are."""

import json
import os
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

_ON = ("LANGSMITH_TRACING", "LANGSMITH_TRACING_V2", "LANGCHAIN_TRACING", "LANGCHAIN_TRACING_V2")
_SEVERAL = ("LANGSMITH_RUNS_ENDPOINTS", "LANGCHAIN_RUNS_ENDPOINTS")
_ONE = ("LANGSMITH_ENDPOINT", "LANGCHAIN_ENDPOINT")
_USUAL = "https://api.smith.langchain.com"


def traces_go_to(environ: Mapping[str, str] = os.environ) -> str | None:
    """The host or hosts that LangSmith's own variables have traces posted to; None for none.

    An address's user, password and path are not told.
    """
    if not any(environ.get(name, "").lower() == "true" for name in _ON):
        return None
    named = [address for name in _SEVERAL for address in _listed(environ.get(name, ""))]
    named = named or [environ.get(name, "") for name in _ONE if environ.get(name, "").strip()][:1]
    return " and ".join(dict.fromkeys(_host(address) for address in named or [_USUAL]))


def _listed(value: str) -> Iterator[str]:
    """The addresses of the variable for several: a mapping of them to keys, or a list of objects."""
    try:
        given = json.loads(value)
    except ValueError:
        return  # LangSmith leaves it aside too
    if isinstance(given, dict):
        yield from given
    elif isinstance(given, list):
        yield from (
            str(one["api_url"]) for one in given if isinstance(one, dict) and "api_url" in one
        )


def _host(address: str) -> str:
    bare = address.strip().strip("\"'")
    try:
        host = urlsplit(bare if "://" in bare else f"//{bare}").hostname
    except ValueError:
        host = None
    return host or "a host whose address cannot be read"
