"""Loops that become machine code: compiled once, and kept beside the program for every process.

They hold no interpreter lock, so that threads run them side by side, and multiplications are joined
with the additions after them where the processor can.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(loop: Loop) -> Loop:
    """The loop as numba compiles it when it is first called.

    The code is kept in `__pycache__`, else in the user's cache (NUMBA_CACHE_DIR names another
    folder); where none can be written every process compiles for itself.
    """
    from numba import njit

    compile_ = partial(
        njit, nogil=True, boundscheck=False, error_model="numpy", fastmath={"contract"}
    )
    try:
        return cast(Loop, compile_(cache=True)(loop))
    except RuntimeError:  # numba found no folder for it
        return cast(Loop, compile_()(loop))
