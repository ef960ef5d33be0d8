"""What is done beside a block: again and again, through errors, and not after it."""

import threading
import time

import pytest

from ticketing.errors import StoreAway
from ticketing.repeating import repeating


def test_it_is_done_again_after_an_error_and_by_nobody_after_the_block():
    done, enough = [], threading.Event()

    def do():
        done.append(threading.current_thread())
        if len(done) == 3:
            enough.set()
        raise StoreAway("The store does not answer; try again.")

    with repeating(do, 0.01):
        assert enough.wait(30)
    count = len(done)
    assert {*done} == {done[0]} != {threading.current_thread()}
    assert not done[0].is_alive()
    time.sleep(0.05)
    assert len(done) == count


def test_it_is_done_again_after_a_defect_which_the_log_tells_once(caplog):
    """A lease that was not renewed after one was lost in the middle of the work."""
    done, enough = [], threading.Event()

    def do():
        done.append(1)
        if len(done) == 3:
            enough.set()
        raise OSError("stale file handle")

    with repeating(do, 0.01):
        assert enough.wait(5)
    first, *_ = caplog.records
    assert (first.name, first.levelname) == ("ticketing.repeating", "ERROR")
    assert first.exc_info and "stale file handle" in caplog.text
    assert len(caplog.records) == 1


def test_a_block_that_is_shorter_sees_none_of_it():
    done = []
    with repeating(lambda: done.append(1), 30):
        pass
    assert done == []


def test_the_error_of_the_block_ends_it_too():
    done, enough = [], threading.Event()

    def do():
        done.append(threading.current_thread())
        enough.set()

    with pytest.raises(ZeroDivisionError), repeating(do, 0.01):
        assert enough.wait(30)
        raise ZeroDivisionError
    assert not done[0].is_alive()
