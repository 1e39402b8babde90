"""Who and what a Slack export knows: its lists of users, channels and conversations."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sayso.chats.importers.bundle import Bundle, content
from sayso.chats.importers.decoding import decoded
from sayso.chats.importers.fields import Object, id_of, object_of, objects_of, text_of
from sayso.errors import ImportFormatError

_LISTS = ("channels.json", "groups.json", "dms.json", "mpims.json")


@dataclass
class Workspace:
    """Who and what the export knows by id; each person's name first, then the other names."""

    people: dict[str, list[str]] = field(default_factory=dict)
    channels: dict[str, str] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)

    @property
    def names(self) -> Mapping[str, str]:
        """The name of each person by id."""
        return {key: names[0] for key, names in self.people.items() if names}


def json_in(bundle: Bundle, name: str) -> Any:  # whatever the file holds
    """The value of a JSON file of the bundle; None where it is no JSON."""
    try:
        return json.loads(decoded(content(bundle, name), name, guess=False).text)
    except (ValueError, RecursionError, ImportFormatError):
        return None


def workspace_of(bundle: Bundle, top: str) -> Workspace:
    """What the lists at the top of the export tell."""
    found = Workspace()
    place = f"{top}/" if top else ""
    for user in objects_of(
        json_in(bundle, f"{place}users.json") if f"{place}users.json" in bundle.sizes else None
    ):
        if key := id_of(user.get("id")):
            found.people[key] = names_of(user)
    for name in _LISTS:
        given = json_in(bundle, place + name) if place + name in bundle.sizes else None
        for channel in objects_of(given):
            key = id_of(channel.get("id")) or ""
            found.channels[key] = text_of(channel.get("name")) or key
            members = channel.get("members")
            found.members[text_of(channel.get("name")) or key] = (
                [text_of(m) for m in members] if isinstance(members, list) else []
            )
    return found


def names_of(user: Object) -> list[str]:
    """The name a person goes by, then the others; none where there is none."""
    profile = object_of(user.get("profile"))
    given = [profile.get("display_name"), profile.get("real_name"), user.get("display_name"),
             user.get("real_name"), user.get("name")]  # fmt: skip
    return list(dict.fromkeys(name for name in map(text_of, given) if name.strip()))


def title_of(folder: str, workspace: Workspace) -> str:
    """A channel's name; of a conversation without one, the people in it."""
    members = [workspace.names.get(m, m) for m in workspace.members.get(folder, [])]
    unnamed = folder.startswith("mpdm-") or re.fullmatch(r"[DG][A-Z0-9]{2,}", folder)
    return " and ".join(members) if unnamed and members else folder
