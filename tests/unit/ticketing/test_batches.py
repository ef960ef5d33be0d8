from itertools import count

from ticketing.batches import batches


def test_items_come_a_few_at_a_time_in_order():
    assert list(batches("abcde", 2)) == [["a", "b"], ["c", "d"], ["e"]]
    assert list(batches([], 2)) == []


def test_items_are_read_as_needed():
    assert next(batches(count(), 3)) == [0, 1, 2]
