from eval.groups import groups_of
from sayso.core.chat import Chat, Participant


def chat(name: str, *people: str) -> Chat:
    return Chat(
        chat_id=name,
        title=name,
        platform="invented",
        participants=tuple(Participant(name=person) for person in people),
    )


def test_chats_of_the_same_person_are_one_group_named_after_the_first():
    chats = [chat("a", "Ana", "Ben"), chat("b", "Cem", "Dee"), chat("c", "ana", "Eva")]

    assert groups_of(chats) == {"a": "a", "b": "b", "c": "a"}


def test_a_later_chat_links_two_groups():
    chats = [
        chat("a", "Ana", "Ben"),
        chat("b", "Cem", "Dee"),
        chat("c", "Ben", "Cem"),
        chat("d", "Dee"),
    ]

    assert groups_of(chats) == {"a": "a", "b": "a", "c": "a", "d": "a"}


def test_chats_of_strangers_stand_alone():
    assert groups_of([chat("a", "Ana"), chat("b", "Ben")]) == {"a": "a", "b": "b"}
