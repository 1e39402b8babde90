"""Where a model is: its address, whether that is this machine, its key, its window."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from sayso.errors import ConfigurationError
from sayso.settings import Settings

OPENAI = "https://api.openai.com/v1"
KEY = "OPENAI_API_KEY"
# Servers that ask for no key get this one: the client will not do without.
NO_KEY = "no-key-is-configured"
COMPLETION = 4096  # tokens of a reply, where nobody says how many
# Tokens that models of these names read, by their makers' pages; the first that fits counts.
_WINDOWS = {
    "gpt-4.1": 1_047_576,
    "gpt-4o": 128_000,
    "gpt-4-turbo": 128_000,
    "gpt-4": 8_192,
    "gpt-3.5": 16_385,
    "gpt-5": 400_000,
    "o1": 200_000,
    "o3": 200_000,
    "o4": 200_000,
}


def address_of(settings: Settings) -> str:
    """The address that calls go to. Raises ConfigurationError for one refused by ``offline``."""
    address = settings.base_url or OPENAI
    if settings.offline and not is_loopback(address):
        raise ConfigurationError(refused(settings.model, address))
    return address


def refused(model: str | None, address: str) -> str:
    """Why ``offline`` does not let the model at that address be called."""
    return (
        f"offline: the model {model!r} is on {host_of(address)}, and only this machine may be"
        " called; name a server on it with base_url (OPENAI_BASE_URL), or leave --offline away"
    )


def key_for(address: str, environ: Mapping[str, str]) -> str:
    """The key from the environment. Raises ConfigurationError where OpenAI's own would lack.

    So it does for one that no request could carry.
    """
    key = environ.get(KEY, "").strip()
    if any(not " " <= char <= "~" for char in key):
        raise ConfigurationError(
            f"{KEY} holds a line break or a letter that is not ASCII, which no key does: was more "
            "than the key, or something else, copied into it?"
        )
    if key:
        return key
    if is_openai(address):
        raise ConfigurationError(
            f"{KEY} is not set, and {host_of(address)} answers nobody without a key: put it into the"
            " environment, or name another server with base_url (OPENAI_BASE_URL)"
        )
    return NO_KEY


def host_of(address: str) -> str:
    """The host of an address, in small letters; the address never shows its user and password."""
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError as error:
        raise ConfigurationError(f"base_url: not an address: {error}") from error


def masked(address: str) -> str:
    """The address without what may be secret in it: user and password, query."""
    host = host_of(address)
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError as error:
        raise ConfigurationError(f"base_url: not an address: {error}") from error
    who = "[key]@" if parts.username or parts.password else ""
    query = "?[key]" if parts.query else ""
    return f"{parts.scheme}://{who}{f'[{host}]' if ':' in host else host}{port}{parts.path}{query}"


@dataclass(frozen=True)
class Place:
    """An address taken apart: what may be told of it, and what goes along with every request.

    ``user`` and ``password`` are None where the address names neither.
    """

    bare: str
    user: str | None
    password: str | None
    query: dict[str, str]


def place_of(address: str) -> Place:
    """The parts of an address. What may be secret in it is never in ``bare``."""
    parts = urlsplit(address)
    who, _, host = parts.netloc.rpartition("@")
    user, colon, password = who.partition(":")
    return Place(
        bare=f"{parts.scheme}://{host}{parts.path}",
        user=unquote(user) if who else None,
        password=unquote(password) if colon else None,
        query=dict(parse_qsl(parts.query, keep_blank_values=True)),
    )


def secrets_in(address: str) -> tuple[str, ...]:
    """What of the address may be secret, as written and as meant: who asks, and its query."""
    written, meant = urlsplit(address), place_of(address)
    told = parse_qsl(written.query.replace("%", "%25"))  # as they are written
    found = [written.password or written.username, meant.password or meant.user]
    found += [*(value for _, value in told), *meant.query.values()]
    return tuple(dict.fromkeys(one for one in found if one))


def is_openai(address: str) -> bool:
    """Whether the address is OpenAI's own service."""
    return f".{host_of(address)}".endswith(".openai.com")


def is_loopback(address: str) -> bool:
    """Whether the address is this machine, by its own writing: no name is looked up."""
    host = host_of(address)
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def window_of(settings: Settings, name: str | None = None) -> int | None:
    """Tokens the model reads: as configured, else as its name says, else None.

    ``name`` stands for the configured one.
    """
    told = (name or settings.model or "").lower()
    known = (size for prefix, size in _WINDOWS.items() if told.startswith(prefix))
    return settings.window or next(known, None)


def completion_of(settings: Settings, name: str | None = None) -> int:
    """Tokens that a reply may have: as configured, at most half of the window where that is known.

    Servers refuse a request whose prompt and reply together might not fit. ``name`` as for
    :func:`window_of`.
    """
    window = window_of(settings, name)
    if settings.completion is None:
        return min(COMPLETION, window // 4) if window else COMPLETION
    return min(settings.completion, window // 2) if window else settings.completion
