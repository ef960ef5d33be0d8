"""The command line: one module per command; `worker` and `web` add their commands by entry points.

- `interruption`: ends every command cleanly on Ctrl-C or SIGTERM.
- `commands`: finds and runs the requested command. It is imported late, so that `interruption` is
  active within milliseconds.
- `groups`, `options`: groups of commands, and options that several commands share.
- `model_settings`: training settings from TOML files and options.
- `measuring`: what the measuring commands share.
- `actor`: the operating system's user, for the audit.
- `printing`: safe output. `bars` and `waiting` show progress.
- `import_`: the work of `ticketing import`. `rejects` shows the rows that an import left out.
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
