"""Loops compiled to machine code by numba: compiled once and cached for all processes.

Compiled loops release the interpreter lock (GIL), so threads can run them in parallel.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

Loop = TypeVar("Loop", bound=Callable[..., Any])


def compiled(loop: Loop) -> Loop:
    """Decorator: numba compiles the loop at its first call.

    Multiplications are fused with the additions after them where the processor can do so. The
    machine code is kept in `__pycache__`, else in the user's cache (NUMBA_CACHE_DIR names another
    folder). If neither can be written, every process compiles for itself.
    """
    return _compiled(loop, {"contract"})


def compiled_exactly(loop: Loop) -> Loop:
    """As `compiled`, but nothing is fused, so results are the same on every machine."""
    return _compiled(loop, set())


def _compiled(loop: Loop, fast: set[str]) -> Loop:
    from numba import njit

    compile_ = partial(njit, nogil=True, boundscheck=False, error_model="numpy", fastmath=fast)
    try:
        return cast(Loop, compile_(cache=True)(loop))
    except RuntimeError:  # numba found no folder for it
        return cast(Loop, compile_()(loop))
