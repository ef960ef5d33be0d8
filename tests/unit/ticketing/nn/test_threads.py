"""Work that threads share: whole, each part once, and nothing hangs on how many there are."""

import threading

import pytest
import torch

from ticketing.nn import threads


@pytest.mark.parametrize("count", [1, 2, 3])
def test_texts_are_shared_out_whole_and_each_once(monkeypatch, count):
    monkeypatch.setattr(threads, "FEWEST_STEPS", 1)
    done = []
    bounds = torch.tensor([0, 1, 10, 11, 12]).numpy()
    with threads.shared_by(count):
        threads.shared_out(lambda first, last: done.append((first, last)), bounds)
    assert len(done) == count
    assert sorted(n for first, last in done for n in range(first, last)) == [0, 1, 2, 3]


@pytest.mark.parametrize("count", [1, 4])
def test_halves_are_two_for_any_number_of_threads(count):
    done = []
    with threads.shared_by(count):
        threads.halves(lambda first, last: done.append((first, last)), 5)
    assert sorted(done) == [(0, 2), (2, 5)]


def test_two_threads_work_side_by_side():
    """Each waits for the other, which would take for ever one after the other."""
    meeting = threading.Barrier(2, timeout=10)
    with threads.shared_by(2):
        threads.together(meeting.wait, meeting.wait)


def test_what_goes_wrong_in_another_thread_is_heard():
    def fail():
        raise ValueError("in a thread")

    with threads.shared_by(2), pytest.raises(ValueError, match="in a thread"):
        threads.together(lambda: None, fail)


def test_torch_has_its_own_threads_back_afterwards(monkeypatch):
    before = torch.get_num_threads()
    torch.set_num_threads(before + 1)
    with threads.shared_by(2):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before + 1
    torch.set_num_threads(before)
