from dataclasses import replace

import pytest

from eval.tune.splits import split
from sayso.errors import CaseError


def unlabelled(cases):
    return [replace(r, case=r.case.model_copy(update={"split": None})) for r in cases]


def test_cases_stand_where_their_files_put_them(cases):
    parts = split(cases)

    assert {r.group for r in parts.train} == {"train"}
    assert {r.group for r in parts.valid} == {"valid"}
    assert {r.group for r in parts.test} == {"test"}
    assert len(parts.all) == len(cases)


def test_people_in_two_splits_are_an_error_that_names_them(cases):
    told = [replace(cases[0], case=cases[0].case.model_copy(update={"split": "test"})), *cases[1:]]

    with pytest.raises(CaseError, match=r"train-0 is in split 'test' and train-1 in 'train'.*Ada"):
        split(told)


def test_chats_that_share_a_person_are_one_group_though_their_names_differ(cases):
    joined = [replace(r, group="train") if r.group == "test" else r for r in cases]

    with pytest.raises(CaseError, match="share people"):
        split(joined)


@pytest.mark.parametrize("seed", range(5))
def test_groups_without_a_split_are_dealt_out_whole(cases, seed):
    parts = split(unlabelled(cases), seed=seed)
    groups = [{r.group for r in part} for part in (parts.train, parts.valid, parts.test)]

    assert all(len(one) == 1 for one in groups)
    assert len(set().union(*groups)) == 3
    assert "dealt out by sayso" in parts.notes[0]


def test_the_same_seed_deals_the_same(cases):
    assert split(unlabelled(cases), seed=3).train == split(unlabelled(cases), seed=3).train


def test_a_case_without_a_split_follows_its_group(cases):
    parts = split([unlabelled(cases[:1])[0], *cases[1:]])

    assert cases[0].case.case_id in {r.case.case_id for r in parts.train}


def test_one_group_is_all_train_and_two_have_no_test(cases):
    one, two = split(unlabelled(cases[:8])), split(unlabelled(cases[:16]))

    assert (len(one.train), len(one.valid), len(one.test)) == (8, 0, 0)
    assert (len(two.train), len(two.valid), len(two.test)) == (8, 8, 0)
    assert "no cases in valid and test" in one.notes[-1]


def test_cases_whose_evidence_cannot_be_found_are_left_out(cases):
    lost = replace(cases[0], case=cases[0].case.model_copy(update={"evidence": (999,)}))

    parts = split([lost, *cases[1:]])

    assert len(parts.train) == 7
    assert "1 cases whose evidence cannot be found" in parts.notes[0]


def test_nothing_to_tune_on_is_an_error(cases):
    lost = replace(cases[0], case=cases[0].case.model_copy(update={"evidence": (999,)}))

    with pytest.raises(CaseError, match="nothing to tune on"):
        split([lost])
