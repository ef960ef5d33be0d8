"""Threads that share a query's work."""

import threading

import pytest

from ticketing.retrieval.threads import ALONE, Threads


@pytest.mark.parametrize("threads", [ALONE, Threads(2), Threads(5)])
@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_each_part_is_done_once(threads, count):
    done: list[int] = []
    threads.share(done.append, range(count))
    assert sorted(done) == list(range(count))


def test_two_parts_are_done_side_by_side_one_of_them_here():
    """Each waits for the other, so that neither thread can do both."""
    meeting, doing = threading.Barrier(2, timeout=9), []

    def work(part: int) -> None:
        meeting.wait()
        doing.append(threading.get_ident())

    Threads(2).share(work, range(2))
    assert threading.get_ident() in doing and len({*doing}) == 2


def test_where_others_are_busy_nobody_waits_for_them():
    threads, busy, free = Threads(2), threading.Semaphore(0), threading.Event()

    def held(part: int) -> None:
        busy.release()
        assert free.wait(9)

    holding = threading.Thread(target=threads.share, args=(held, range(2)))
    holding.start()
    assert busy.acquire(timeout=9) and busy.acquire(timeout=9)
    done: list[int] = []
    threads.share(done.append, range(3))
    free.set()
    holding.join(9)
    assert done == [0, 1, 2]


@pytest.mark.parametrize("failing", [0, 1])
def test_what_fails_is_raised_once_nobody_works_any_more(failing):
    meeting, ended = threading.Barrier(2, timeout=9), []

    def work(part: int) -> None:
        meeting.wait()
        ended.append(part)
        if part == failing:
            raise ValueError(part)

    with pytest.raises(ValueError, match=str(failing)):
        Threads(2).share(work, range(2))
    assert sorted(ended) == [0, 1]
