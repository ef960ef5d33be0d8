"""`python -m ticketing` is the command line."""

from ticketing.cli import main

main()
