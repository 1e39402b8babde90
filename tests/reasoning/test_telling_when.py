from datetime import UTC, datetime

import pytest

from sayso.reasoning.telling_when import told_when

DAY = datetime(2024, 2, 3, 10, 8, tzinfo=UTC)  # a Saturday


@pytest.fixture
def head(make_chat):
    """What heads the answer out of one message of 3 February 2024, None for nothing."""

    def said(question: str, text: str, cited: str | None = None) -> str | None:
        message = make_chat(("Lena", text, DAY)).messages[0]
        told = told_when(question, UTC, message, cited)
        return told.words if told else None

    return said


def test_the_day_it_was_sent_stands_in_for_what_has_happened(head):
    assert head("When did Jonah sell the amp?", "sold the amp") == "3 February 2024"
    assert head("When Jonah sold the amp?", "sold the amp") == "3 February 2024"
    assert head("他什么时候卖了吉他？", "卖掉了") == "2024年2月3日"


@pytest.mark.parametrize(
    "question",
    [
        "When is the wedding?",
        "When's the wedding?",
        "When will they marry?",
        "When does Ruth marry?",
        "婚礼什么时候办？",
    ],
)
def test_the_day_it_was_sent_never_stands_in_for_what_is_to_come(question, head):
    assert head(question, "Ruth rang, wedding stuff") is None


def test_what_will_be_is_not_over_on_the_day_it_is_told(head):
    assert head("When will Lena leave?", "we left yesterday") is None
    assert head("When did Lena leave?", "we left yesterday") == "2 February 2024"
    assert head("When will Lena leave?", "came yesterday. leaving on 9 February") == (
        "9 February 2024"
    )


def test_a_whole_month_or_year_is_named_as_such(head):
    assert head("When was she in Rome?", "I was in Rome last month") == "January 2024"
    assert head("When was she in Rome?", "I was in Rome last year") == "2023"
    assert head("她什么时候去了罗马？", "上个月去了罗马") == "2024年1月"
    assert head("When was she in Rome?", "in Rome from May 3 to May 5, it was fine") == (
        "3 May 2023 to 5 May 2023"
    )


def test_how_long_is_told_by_a_length_and_never_by_a_day(head):
    asked = "How long did she have the flu?"
    assert head(asked, "better today, two weeks of flu", "two weeks") == "two weeks"
    assert head(asked, "better today, two weeks of flu", "today") is None
    for cited in ("since 2015", "2015"):
        assert head("How long has she lived here?", "here since 2015", cited) == "since 2015"


def test_at_what_hour_is_told_by_an_hour_and_never_by_a_day(head):
    asked = "What time does the ferry leave?"
    assert head(asked, "it leaves at 7:30", "at 7:30") == "at 7:30"
    assert head(asked, "does it leave on saturday?", "saturday") is None


def test_the_sentence_that_the_day_is_read_from_is_shown(make_chat, told):
    text = "signed up for the Dodder Ten. ten MILES. sunday 14th april. wish me luck"
    chat = make_chat(("Lena", text, DAY))

    draft = told(chat, "When is the Dodder Ten?", "when", (1, 0.9))

    assert draft.answer.startswith("14 April 2024. Lena, 3 February 2024: “")
    assert "sunday 14th april" in draft.answer


@pytest.mark.parametrize(
    "text",
    ["born on 3/4/1990", "we landed. the next day she was born", "born on 31 April"],
    ids=["two readings", "told from something else", "no such day"],
)
def test_the_day_it_was_sent_never_stands_in_for_one_that_is_named_but_not_known(text, head):
    assert head("When was she born?", text) is None


@pytest.mark.parametrize(
    ("question", "text", "cited", "said"),
    [
        ("When did we lose the semifinal?", "we lost the semifinal on monday", "monday", "29 January 2024"),
        ("When was the final?", "The final was in november, remember?", "november", "November 2023"),
        ("When is the derby?", "The derby is on thursday", "thursday", "8 February 2024"),
        ("When is the minibus booked for?", "I booked it for thursday", "thursday", "8 February 2024"),
        ("When is the draw?", "it got moved to thursday", "thursday", "8 February 2024"),
        # Announced beforehand.
        ("When was the party?", "Housewarming party on Monday!", "Monday", "5 February 2024"),
        ("When was the wedding?", "save the date for the wedding: 8 June", "8 June", "8 June 2024"),
        # The message knows better.
        ("When does Ana say she moved?", "moved on Thursday", "Thursday", "1 February 2024"),
        ("When is Ana's birthday?", "it was on thursday", "thursday", "1 February 2024"),
        ("When did they go?", "we are going to leave on monday", "monday", "5 February 2024"),
        ("When did they plan to go?", "we'll leave on monday", "monday", "5 February 2024"),
        ("When was it?", "on 3 March 2021", "3 March 2021", "3 March 2021"),
    ],
)  # fmt: skip
def test_an_open_day_is_the_last_or_the_next_as_the_question_asks(
    question, text, cited, said, head
):
    assert head(question, text, cited) == said


@pytest.mark.parametrize(
    ("question", "text", "cited", "said"),
    [
        ("When did Ana get the job?", "I got the job! moving in October", "October", "3 February 2024"),
        ("When will Ana move?", "I got the job! moving in October", "October", "October 2024"),
        ("When did the college ring?", "I start in three weeks, the college rang this morning", "three weeks", "3 February 2024"),
        ("When does Ana start?", "I start in three weeks, the college rang this morning", "three weeks", "21 February 2024 to 27 February 2024"),
        # Where nothing else tells of it, what is to come was meant.
        ("When did they leave?", "we're leaving on Thursday", "Thursday", "8 February 2024"),
        ("When was the wedding?", "it's a yes! wedding on 5 July", "5 July", "5 July 2024"),
    ],
)  # fmt: skip
def test_what_has_happened_is_not_told_by_a_time_to_come_of_another_clause(
    question, text, cited, said, head
):
    assert head(question, text, cited) == said


def test_what_will_be_is_not_told_by_what_was_on_the_day_itself(head):
    text = "got the job!!! the library rang me this morning"

    assert head("When will Ines start?", text, "this morning") is None
    assert head("When does Ines start?", text, "this morning") is None
    assert head("When did the library ring?", text, "this morning") == "3 February 2024"
    assert head("When will they leave?", "we leave tonight, he rang", "tonight") == (
        "3 February 2024"
    )
    assert head("When is the party?", "the party is tonight", "tonight") == "3 February 2024"


def test_a_day_told_just_after_a_stretch_is_the_more_exact(head):
    asked = "When will Ines start?"

    assert head(asked, "in three weeks, Monday 26 February", "three weeks") == "26 February 2024"
    assert head(asked, "in three weeks, Monday 4 March", "three weeks") == (
        "21 February 2024 to 27 February 2024"
    )
    assert head("When was Ana busy?", "this week, today too", "this week") == (
        "29 January 2024 to 4 February 2024"
    )


def test_a_verb_without_a_past_of_its_own_is_read_as_the_question_has_it(head):
    assert head("When did Ben cut his hand?", "cut my hand on Thursday", "Thursday") == (
        "1 February 2024"
    )
    assert head("When did Ben put them out?", "put the bins out on Thursday") == "1 February 2024"
    assert head("When should Ben put them out?", "put the bins out on Thursday") == (
        "8 February 2024"
    )


def test_of_two_lengths_that_beside_the_words_of_the_question_is_told(head):
    text = "five days on Mull, two hours on the train"

    assert head("How long is the train ride?", text, "five days") == "two hours"
    assert head("How long are they on Mull?", text, "five days") == "five days"
    assert head("How long is it?", text, "five days") == "five days"


def test_a_verb_in_the_past_tells_only_of_the_time_in_its_clause(head):
    text = "broke my leg, surgery on Monday"

    assert head("When is Ana's surgery?", text, "Monday") == "5 February 2024"
    assert head("When did Ana break her leg?", text, "Monday") == "3 February 2024"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("When was the visit?", "Visit on Monday was lovely"),
        ("When was the get together?", "Get together on Monday was fun"),
        ("When did Ana go there?", "Going there on Monday was great"),
        ("When did Ana go to the party?", "can say the party I loved on Monday rocked"),
    ],
)
def test_what_has_happened_is_not_told_by_a_day_after_the_message_that_tells_of_it(
    question, text, head
):
    assert head(question, text, "Monday") == "29 January 2024"
