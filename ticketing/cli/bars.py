"""Progress bars of consecutive tasks, with an estimate if the size is known."""

from collections.abc import Callable
from typing import NoReturn, Self

from tqdm import tqdm


class Bars:
    """Shows one progress bar after the other."""

    def __enter__(self) -> Self:
        self._bar: tqdm[NoReturn] | None = None
        return self

    def __call__(self, what: str, total: int | None, unit: str = "") -> Callable[[int], object]:
        """Begin a new bar; the returned function is called with the progress."""
        self.__exit__()
        self._bar = tqdm(desc=what, total=total, unit=unit, unit_scale=True)
        return self._bar.update

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
