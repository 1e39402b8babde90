import numpy as np
import pytest

from eval.ablation import PARTS, WEIGHED, heading, line, never_abstaining, without_captions
from eval.fit_figures import Figures
from eval.fit_stages import Cross, Fit
from sayso.retrieval.features import CROSSED, NAMES, NOT_OF_ARCS
from sayso.weights import OF_PEOPLE


def figure(recall: float, f1: float, abstained: float | None) -> Figures:
    return Figures(
        n=3,
        recalls=(0.1, recall, 0.3, 0.4),
        returned=(f1, 0.5, 0.5, 2.0),
        oracle=0.6,
        wide=(0.7, 5.0),
        abstain_f1=abstained,
        recall_lost=0.0,
    )


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_made_of_features_that_there_are_and_is_not_all_of_them(part):
    assert PARTS[part] <= set(NAMES)
    assert 0 < len(PARTS[part]) < len(NAMES)


def test_a_development_goes_without_the_parts_that_are_weights_contexts_and_who_is_spoken_of():
    weighed = set().union(*WEIGHED.values())
    assert weighed | {"context_cosine", *OF_PEOPLE} == NOT_OF_ARCS
    assert sum(map(len, WEIGHED.values())) == len(CROSSED) + 1


def test_a_line_shows_shares_in_percent_and_a_dash_without_a_figure():
    assert heading(["a"])[0] == "| without | a: recall@10 | a: F1 | a: abstain F1 |"
    assert line("dates", [figure(0.845, 0.5, None)]) == "| dates | 84.5 | 50.0 | – |"
    assert line("dates", [figure(0.1, 0.2, 0.66)]) == "| dates | 10.0 | 20.0 | 66.0 |"


def test_without_abstaining_every_fit_has_no_bar_and_the_others_stay_as_they_were():
    fit = Fit(np.zeros(2), cuts={"abstain": 0.5, "recall_relevance": 0.1})
    cross = Cross([], [fit], [])

    (free,) = never_abstaining(cross).fits

    assert free.cuts == {"abstain": 0.0, "recall_relevance": 0.1}
    assert fit.cuts["abstain"] == 0.5


def test_a_chat_without_captions_keeps_its_messages_and_their_text(chat):
    shown = tuple(m.model_copy(update={"caption": "a red kayak"}) for m in chat.messages)

    bare = without_captions(chat.model_validate({**dict(chat), "messages": shown}))

    assert [m.caption for m in bare.messages] == [None] * len(shown)
    assert [(m.local_id, m.text) for m in bare.messages] == [(m.local_id, m.text) for m in shown]
