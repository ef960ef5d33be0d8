"""The pool of a worker's process: one forked child, which does the work."""

import os
import signal
import time
from contextlib import closing

from worker.run import UnsharedPool


def test_a_pool_works_on_when_its_child_was_killed_while_it_waited():
    """As where a machine has no more memory: `ticketing work` looked alive, did no job any more and
    did not end by SIGTERM."""
    with closing(UnsharedPool(1)) as pool:
        killed = pool.apply_async(os.getpid).get(timeout=20)
        time.sleep(0.3)  # seconds, in which it begins to wait
        os.kill(killed, signal.SIGKILL)
        time.sleep(0.3)  # seconds, in which it dies: what it reads until then is lost with it
        asked = [pool.apply_async(os.getpid) for _ in range(3)]
        assert asked[-1].get(timeout=20) != killed
    pool.join()
