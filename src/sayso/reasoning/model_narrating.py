"""The generator with a model: the best messages among their neighbours → a draft."""

from collections.abc import Mapping

from sayso.core.events import Words
from sayso.core.models import Draft, Graded
from sayso.core.seams import GENERATOR, Narrating
from sayso.errors import InputError, ReasoningError
from sayso.reasoning.asking_model import Calls
from sayso.reasoning.calling import Request
from sayso.reasoning.fencing import fenced, one_line
from sayso.reasoning.filling import shared
from sayso.reasoning.neighbourhood import is_beside
from sayso.reasoning.phrasing import phrases_for
from sayso.reasoning.prompts import Prompt
from sayso.reasoning.replies_wire import AnswerReply, schema_line
from sayso.reasoning.showing import Shown, show, show_all
from sayso.reasoning.token_estimate import estimate
from sayso.reasoning.whole_marks import is_whole
from sayso.reasoning.wire_reading import draft_of

_BAR = 0.15
_LEAST, _MOST, _MOST_ARC = 12, 60, 80
_ONESHOT, _ONESHOT_ARC = 40, 60
_FEW = (
    "the fewest messages that together prove the answer: most often 1, seldom more than 2; for a list "
    "or a count one for each thing, for a judgement the 2 or 3 that tell most"
)
_FEW_ARC = "for an arc one to five for each phase: all that show the change"
_MANY = "many: every message that helps to answer, also in part"


def narrate_with_model(
    given: Narrating, prompt: Prompt, names: Mapping[str, str], calls: Calls
) -> Draft | None:
    """The draft that the model writes; None where another has to stand in.

    Where nothing was found it is an abstention, and no model is asked. Of a whole chat all is
    shown or none: InputError where it does not fit, ReasoningError where the model fails.
    """
    if not given.graded:
        return nothing(given)
    request, shown = _request(given, prompt, names, calls)
    reply = calls.ask(request)
    if reply is None:
        if is_whole(given.graded):  # nothing was searched, so that nobody else has a start
            raise ReasoningError(f"{prompt.step}: {calls.notes[-1]}")
        return None
    read = draft_of(reply, shown, given.chat)
    calls.notes += read.notes
    if read.draft.abstained and not read.draft.answer:
        return nothing(given)
    return read.draft


def refuse_what_does_not_fit(
    given: Narrating, prompt: Prompt, names: Mapping[str, str], calls: Calls
) -> None:
    """InputError where the messages are all of a chat and do not fit; nothing is asked."""
    _request(given, prompt, names, calls)


def nothing(given: Narrating) -> Draft:
    """The abstention in the language of the question."""
    return Draft(answer=phrases_for(given.question.text).nothing, abstained=True)


def chosen(given: Narrating, step: str) -> tuple[Graded, ...]:
    """What is shown of the graded, most relevant first; neighbours that earned no grade aside."""
    arc = given.plan.intent == "arc"
    if step != GENERATOR.name:
        found = [g for g in given.graded if not is_beside(g)]
        return tuple(found[: _ONESHOT_ARC if arc else _ONESHOT])
    found = [g for g in given.graded if not is_beside(g) or g.relevance >= _BAR]
    above = sum(g.relevance >= _BAR for g in found)
    return tuple(found[: max(_LEAST, min(above, _MOST_ARC if arc else _MOST))])


def _amount(given: Narrating) -> str:
    if given.question.recall:
        return _MANY
    return _FEW_ARC if given.plan.intent == "arc" else _FEW


def _best(given: Narrating, prompt: Prompt, calls: Calls, room: int) -> Shown:
    candidates = [g.local_id for g in chosen(given, prompt.step)]
    shown = show(given.chat, candidates, {g.local_id for g in given.graded}, room=room)
    if shown.left_out:
        calls.tell(
            f"{len(shown.left_out)} of {len(candidates)} candidates were left out, the least "
            "relevant first: the model's window is full"
        )
    return shown


def _all(given: Narrating, calls: Calls, room: int) -> Shown:
    shown = show_all(given.chat, [g.local_id for g in given.graded])
    takes = estimate(shown.text)
    if takes > room:
        known, window = calls.caller.window, calls.window
        asked = "name a model that reads more, or ask without --context all"
        if known is None:
            asked = f"set how many it reads (window, SAYSO_WINDOW), or {asked}"
        elif window < known:
            asked = "raise the question's budget (tokens, --tokens), or ask without --context all"
        raise InputError(
            f"all of chat {given.chat.chat_id} takes about {takes + window - room:,} tokens with its "
            f"prompt and reply, and the model may be given {window:,}; {asked}"
        )
    return shown


def _request(
    given: Narrating, prompt: Prompt, names: Mapping[str, str], calls: Calls
) -> tuple[Request[AnswerReply], Shown]:
    blocks = shared(given.question, given.chat, names)
    values = {
        "question": one_line(given.question.text),
        "intent": given.plan.intent,
        "amount": _amount(given),
        "schema": schema_line(AnswerReply),
    }
    room = calls.room_for_messages(prompt, values, blocks)
    shown = (
        _all(given, calls, room) if is_whole(given.graded) else _best(given, prompt, calls, room)
    )
    inside, marker = fenced({**blocks, "messages": shown.text})
    system, user = prompt.filled({**values, **inside, "marker": marker})

    def heard(text: str) -> None:
        calls.listen(Words(step=prompt.step, text=text))

    request = Request(prompt.step, system, user, AnswerReply, prompt.digest, written=heard)
    return request, shown
