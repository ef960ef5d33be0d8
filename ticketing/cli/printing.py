"""Output of commands; text of tickets cannot control a terminal."""

import click

_OBEYED = [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
_SHOWN = {c: f"\\x{c:02x}" if c < 0x100 else f"\\u{c:04x}" for c in _OBEYED if chr(c) not in "\n\t"}


def say(text: str, error: bool = False) -> None:
    """Print a text on standard output, or with `error` on standard error. Control characters, and
    those that change the writing direction, are shown by their numbers, since terminals obey
    them."""
    click.echo(text.translate(_SHOWN), err=error)
