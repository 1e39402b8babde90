"""``sayso mcp``: the imported chats as tools for an assistant, over stdin and stdout."""

import os
from importlib.util import find_spec
from typing import Any

import click

from sayso.cli.rendering import note
from sayso.errors import ConfigurationError
from sayso.model_flags import model_options
from sayso.paths import home
from sayso.reasoning.tracing import traces_go_to
from sayso.settings import read_settings


@click.command("mcp")
@model_options
def mcp_command(**model_settings: Any) -> None:  # the settings of a model, under their names
    """Serve the imported chats to an assistant, as MCP tools over stdin and stdout.

    An assistant starts this itself: give it the command "sayso mcp".
    """
    if find_spec("mcp") is None:
        raise ConfigurationError(
            "sayso mcp needs the MCP SDK, which is not installed: pip install 'sayso[mcp]' "
            "(in a checkout: pip install -e '.[mcp]')"
        )
    from sayso.cli.mcp_server import mcp_server

    settings = read_settings(model_settings)
    server = mcp_server(home(), settings)
    if settings.model is not None:
        from sayso.reasoning.model_address import address_of, host_of, key_for

        address = address_of(settings)  # a host or a key that will not do is told here, not later
        key_for(address, os.environ)
        model = f"{settings.model} @ {host_of(address)}"
        note(f"questions, and the messages found for them, go to {model}")
        if not settings.offline and (host := traces_go_to()) is not None:
            note(f"traces of them, with their texts, go to {host}")
    server.run("stdio")
