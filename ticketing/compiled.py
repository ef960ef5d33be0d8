"""Loops that become machine code: compiled once, and kept beside the program for every process.

They hold no interpreter lock, so that threads run them side by side.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast, overload

Loop = TypeVar("Loop", bound=Callable[..., Any])


@overload
def compiled(loop: Loop) -> Loop: ...


@overload
def compiled(*, exact: bool) -> Callable[[Loop], Loop]: ...


def compiled(loop: Loop | None = None, *, exact: bool = False) -> Loop | Callable[[Loop], Loop]:
    """The loop as numba compiles it when it is first called.

    Multiplications are joined with the additions after them where the processor can, unless it is
    to be `exact`: the same on every machine. The code is kept in `__pycache__`, else in the user's
    cache (NUMBA_CACHE_DIR names another folder); where none can be written every process compiles
    for itself.
    """
    if loop is None:
        return partial(_compiled, exact=exact)
    return _compiled(loop, exact)


def _compiled(loop: Loop, exact: bool) -> Loop:
    from numba import njit

    fast = set() if exact else {"contract"}
    compile_ = partial(njit, nogil=True, boundscheck=False, error_model="numpy", fastmath=fast)
    try:
        return cast(Loop, compile_(cache=True)(loop))
    except RuntimeError:  # numba found no folder for it
        return cast(Loop, compile_()(loop))
