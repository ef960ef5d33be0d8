"""Shows the rows that an import left out."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ticketing.cli.printing import say
from ticketing.errors import InputError
from ticketing.files import write_atomically
from ticketing.tables import NoUsableRow, Reject, rejects_text

_SHOWN_REJECTS = 5


def require_no_input(path: Path | None, files: Iterable[Path]) -> None:
    """Raises InputError if the file of rejects would overwrite an input file."""
    if path and path.exists() and any(file.exists() and file.samefile(path) for file in files):
        raise InputError(f"--rejects {path} is a file that is read; name another one.")


@contextmanager
def written_rejects(path: Path | None) -> Iterator[None]:
    """Context manager: write the rejected rows, if requested, of a file that is refused because no
    row is usable."""
    try:
        yield
    except NoUsableRow as error:
        keep_rejects(error.rejects, path)
        if path:
            _say_where(path)
        raise


def keep_rejects(rejects: list[Reject], path: Path | None) -> None:
    """Write all rejects to `path` if one was given; before anything is printed, because a command
    ends when nobody reads its output."""
    if path:
        write_atomically(path, rejects_text(rejects))


def show_rejects(rejects: list[Reject], path: Path | None) -> None:
    """Print the first rejects, and where all of them were written."""
    for reject in rejects[:_SHOWN_REJECTS]:
        say(f"  rejected {reject}")
    if len(rejects) > _SHOWN_REJECTS:
        more = "" if path else "; --rejects FILE writes all of them"
        say(f"  … and {len(rejects) - _SHOWN_REJECTS} more{more}")
    if path and rejects:
        _say_where(path)


def _say_where(path: Path) -> None:
    say(f"The rejected rows are in {path}.")
