"""Loops compiled to machine code by numba: compiled once and cached for all processes.

Compiled loops release the interpreter lock (GIL), so threads can run them in parallel.
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
    """Decorator: numba compiles the loop at its first call.

    Multiplications are fused with the additions after them where the processor can do so, unless
    `exact` is set: then results are the same on every machine. The machine code is kept in
    `__pycache__`, else in the user's cache (NUMBA_CACHE_DIR names another folder). If neither can
    be written, every process compiles for itself.
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
