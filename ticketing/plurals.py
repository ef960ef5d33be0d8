"""Numbers with counted nouns, and percentages, as text."""


def counted(number: int, noun: str) -> str:
    """For example `1 ticket`, `1,234 tickets`, `0 queries`; the noun is given in the singular."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """The regular plural of a noun: `tickets`, `queries`, `days`, `matches`, `epochs`."""
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    hissing = noun.endswith(("s", "x", "ch", "sh")) and not noun.endswith("och")
    return f"{noun}es" if hissing else f"{noun}s"


def percent(share: float) -> str:
    """A share as a percentage with a non-breaking blank: `12 %`, `1.4 %`, `5 %`, `0.03 %`. Only all
    is `100 %`: a little less is `99.9 %`."""
    value = 100 * share
    digits = 0 if 10 <= value < 99.5 else 1 if value >= 0.1 else 2
    return f"{min(round(value, digits), 99.9 if share < 1 else value):g}\u00a0%"
