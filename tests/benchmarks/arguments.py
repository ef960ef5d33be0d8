"""What a benchmark is asked for on its command line."""

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from typing import Any


def arguments(about: str | None, **named: Any) -> Namespace:
    """The arguments by name, in that order; `--help` prints them below what is said `about` it all.

    Each is given as what it is unless it is said, a tuple where any number of them may be; or as
    its type, where it must be said.
    """
    parser = ArgumentParser(description=about, formatter_class=RawDescriptionHelpFormatter)
    for name, usual in named.items():
        if isinstance(usual, type):
            parser.add_argument(name, type=usual)
        elif isinstance(usual, tuple):
            kind = type(usual[0]) if usual else str
            parser.add_argument(name, type=kind, nargs="*", default=usual)
        else:
            parser.add_argument(name, type=type(usual), nargs="?", default=usual)
    return parser.parse_args()
