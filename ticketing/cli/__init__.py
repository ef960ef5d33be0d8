"""The command line: one module a command; worker and web plug theirs in by entry points.

`interruption` ends every command on Ctrl-C, `commands` finds the command that is asked for; it is
loaded only when an interruption would meet a clean end, which is within milliseconds.

What commands share: `groups` and `options` are how they are called, `model_settings` what a
training is told, `measuring` what is measured, and `actor` who did it. `printing` prints, `bars`
and `waiting` show what takes long, and `rejects` the rows that an import left out (`import_`).
"""

from typing import NoReturn

from ticketing.cli.interruption import Interruption


def main() -> NoReturn:
    """Run the command line; an error a person can act on is one sentence and exit code 1."""
    interruption = Interruption()
    interruption.expect()
    try:
        from ticketing.cli.commands import run

        code = run()
    except BaseException:
        if not interruption.came:
            raise
        code = interruption.say()
    interruption.leave(code)
