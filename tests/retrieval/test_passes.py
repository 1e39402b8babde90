from sayso.retrieval.passes import Pass

LAID = Pass([[101, 5, 6, 102], [101, 102], [101, 7, 8, 9, 102]])


def test_texts_lie_one_after_the_other_each_counted_from_its_own_beginning():
    given = LAID.given()

    assert given["ids"].tolist() == [[101, 5, 6, 102, 101, 102, 101, 7, 8, 9, 102]]
    assert given["at"].tolist() == [[0, 1, 2, 3, 0, 1, 0, 1, 2, 3, 4]]
    assert given["lengths"].tolist() == [4, 2, 5]
    assert set(given) == {"ids", "at", "lengths"}


def test_a_text_alone_looks_at_itself_marks_and_all():
    part = LAID.alone(1)

    assert part.read.tolist() == part.seen.tolist() == [4, 5]


def test_a_text_among_others_looks_at_the_words_that_are_nearest_to_it():
    read, seen = LAID.among([1, 2], 0, [1, 2], own=9, beside=2)

    assert read.tolist() == [1, 2]
    assert seen.tolist() == [8, 9, 0, 1, 2, 3, 7, 8]
    assert LAID.among([], 2, [], own=9, beside=2).seen.tolist() == [6, 7, 8, 9, 10]
    read, seen = LAID.among([0], 2, [], own=2, beside=9)
    assert read.tolist() == [7, 8]
    assert seen.tolist() == [1, 2, 6, 7, 8, 9, 10]


def test_parts_are_read_one_after_the_other():
    given = LAID.given([LAID.alone(1), LAID.among([1], 0, [2], own=9, beside=1)])

    assert given["read"].tolist() == [4, 5, 1, 2]
    assert given["reads"].tolist() == [2, 2]
    assert given["seen"].tolist() == [4, 5, 0, 1, 2, 3, 7]
    assert given["sees"].tolist() == [2, 5]
