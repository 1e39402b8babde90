"""Edits and deletions that a Slack export tells of as events of their own.

``message_changed`` holds the message as it became and, in some exports, as it was;
``message_deleted`` names the message that is gone and may hold it. An event is no message: what it
holds is read in its place, and what it says is put on the message once all are read.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from sayso.chats.importers.fields import Object, object_of, text_of
from sayso.chats.importers.report import Fault, Findings, Record
from sayso.core.chat import Revision

# Tells of a new reply, which stands in the export itself.
_OF_NO_INTEREST = frozenset({"message_replied"})


@dataclass
class Changes:
    """What the events of one channel say, by the ``ts`` of the message that they are about."""

    findings: Findings
    instant: Callable[
        [Any], datetime
    ]  # of a ts, which may be anything; ValueError where it is none
    former: dict[str, dict[str, datetime]] = field(default_factory=dict)
    gone: dict[str, tuple[datetime, str]] = field(default_factory=dict)

    def unfolded(self, items: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
        """The items, each with its place, with the message that an event holds in the event's place."""
        for where, item in items:
            fields = object_of(item)
            match text_of(fields.get("subtype")):
                case "message_changed" | "message_deleted" as subtype:
                    read = self._changed if subtype == "message_changed" else self._deleted
                    try:
                        held = read(where, fields)
                    except ValueError as error:
                        reason = f"{subtype}: {error}"
                        self.findings.unread.append(Fault(where=where, reason=reason))
                        continue
                    yield from held
                case subtype if subtype not in _OF_NO_INTEREST:
                    yield where, item

    def applied(self, records: Iterable[Record], plain: Callable[[str], str]) -> Iterator[Record]:
        """The records with their former texts; those that are gone as deleted, with their words."""
        seen = set()
        for record in records:
            if record.source_id in self.gone:
                seen.add(record.source_id)
            texts = self.former.get(record.source_id or "", {})
            known = {record.text, *(r.text for r in record.revisions)}
            before = (Revision(text=plain(t), until=until) for t, until in texts.items())
            revisions = (*(r for r in before if r.text not in known), *record.revisions)
            if record.source_id in self.gone:
                at, _ = self.gone[record.source_id]
                record = replace(record, kind="deleted", edited_at=at, words=False)
            yield replace(record, revisions=revisions) if texts else record
        for ts, (at, where) in self.gone.items():
            if ts not in seen:
                sent_at = self.instant(ts)
                yield Record(
                    where=where, sender="", sent_at=sent_at, text="", kind="deleted",
                    source_id=ts, edited_at=at,
                )  # fmt: skip

    def _changed(self, where: str, event: Object) -> list[tuple[str, Any]]:
        message, before = object_of(event.get("message")), object_of(event.get("previous_message"))
        self.instant(message.get("ts"))
        if not object_of(message.get("edited")):
            message = message | {"edited": {"ts": event.get("ts")}}
        until = self.instant(message["edited"].get("ts"))
        text = text_of(before.get("text"))
        if text and text != text_of(message.get("text")):
            self.former.setdefault(message["ts"], {})[text] = until
        return [(f"{where}/message", message)]

    def _deleted(self, where: str, event: Object) -> list[tuple[str, Any]]:
        before = object_of(event.get("previous_message"))
        ts = event.get("deleted_ts") or before.get("ts")
        self.instant(ts)
        assert isinstance(ts, str)
        self.gone[ts] = (self.instant(event.get("ts")), where)
        return [(f"{where}/previous_message", before | {"ts": ts})] if before else []
