"""Reasons: why a ticket was proposed, in terms of telling words that it shares with the query or
has in other words."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain

from ticketing.model.inference import Model
from ticketing.reasons import AlikeWords, Reason, SharedWord
from ticketing.retrieval.alignment import Alignment, Near
from ticketing.retrieval.match import READ, Match
from ticketing.text.literals import literals, named_in
from ticketing.text.sentences import shortened
from ticketing.text.telling import TellingWords, numbers_of, singular
from ticketing.text.tokens import first_written
from ticketing.tickets import Query

MOST_SHARED = 5
"""Maximum number of shared words shown, the most telling."""

MOST_ASKED = 60
"""Maximum number of the query's words searched for in tickets: first those that tickets have, then
the most telling. (A pasted log has thousands of words.)"""


MOST_NAMED = 3
"""Maximum number of shared numbers and codes shown."""

SHORTEST_CODE = 3
"""Minimum length of a shared number or code: "5" says little, "1603" a lot."""

QUOTED = 120
"""Characters quoted of a query."""


class Reasons:
    """Finds reasons with one model."""

    def __init__(self, model: Model, telling: TellingWords):
        self._telling = telling
        self._alignment = Alignment(model, telling)

    def reasons(self, query: Query, words: Sequence[str], matches: Sequence[Match]) -> list[Reason]:
        """The reason of each match; `words` are the tokens of the query's text."""
        telling = self._telling.beside(words)
        of_matches = [dict.fromkeys(telling.of(match.words)) for match in matches]
        all_said = set().union(*of_matches)
        asked = most_telling(telling, words, all_said)
        near = self._alignment.near(asked, all_said)
        forms = {form: singular(token) for token in asked for form in numbers_of(singular(token))}
        shared = {forms[form] for form in all_said.intersection(forms)}
        alike = {one for _, one, _ in near}
        named = [token for token in asked if forms[token] in shared or token in alike]
        written = {token: token for token in named} | first_written(query.text, named)
        by_form: dict[str, tuple[str, float]] = {}
        for token in named:
            by_form.setdefault(forms[token], (written[token], telling.weight(token)))
        return [
            self._reason(query, by_form, written, codes, match, said, forms, near)
            for match, said, codes in zip(
                matches, of_matches, codes_named(query, matches), strict=True
            )
        ]

    def _reason(
        self,
        query: Query,
        by_form: Mapping[str, tuple[str, float]],
        asked: Mapping[str, str],
        codes: Sequence[str],
        match: Match,
        said: Mapping[str, None],
        forms: Mapping[str, str],
        near: Sequence[Near],
    ) -> Reason:
        """The reason of one match.

        `said` are the ticket's telling tokens. `asked` maps the query's telling tokens to how they
        are written. `forms` maps each form of these words to its singular. `by_form` maps a
        singular to how it was written and its weight, most telling first. `codes` are the numbers
        and codes that both texts contain.
        """
        found: defaultdict[str, list[str]] = defaultdict(list)
        for token in filter(forms.__contains__, said):
            found[forms[token]].append(token)
        shared = [form for form in by_form if form in found][:MOST_SHARED]
        best = tuple(SharedWord(*by_form[form], tuple(found[form])) for form in shared)
        alike: tuple[AlikeWords, ...] = ()
        if of_match := [pair for pair in near if pair[2] in said]:
            left = {token: asked[token] for token in asked if forms[token] not in found}
            others = said.keys() - {token for tokens in found.values() for token in tokens}
            alike = self._alignment.align(of_match, left, others, match.text)
        solved = _beginning(match.solved) if match.solved else ""
        own = () if match.solved else match.by_code  # text of the ticket may be cut off
        named = tuple(dict.fromkeys([*own, *codes]))[:MOST_NAMED]
        by_code = bool(match.by_code)
        judged = match.settles(query)
        return Reason(best, alike, named, match.by_id, by_code, match.moved, solved, judged)


def most_telling(telling: TellingWords, words: Iterable[str], said: Set[str]) -> list[str]:
    """At most MOST_ASKED telling words of a query: first those among `said`, each group by
    weight."""

    def place(token: str) -> tuple[bool, float]:
        return said.isdisjoint(numbers_of(singular(token))), -telling.weight(token)

    return sorted(telling.of(words), key=place)[:MOST_ASKED]


def codes_named(query: Query, matches: Sequence[Match]) -> list[list[str]]:
    """For each match, the query's numbers and codes that it contains, rarest among the matches
    first: all of them may contain one product number."""
    codes = [code for code in literals(query.text[:READ]) if len(code) >= SHORTEST_CODE]
    named = [named_in(match.text, codes) for match in matches]
    times = Counter(chain.from_iterable(named))
    return [sorted(of_one, key=times.__getitem__) for of_one in named]


def _beginning(query: Query) -> str:
    """The beginning of a query, to be quoted."""
    return shortened(query.text.strip().split("\n")[0], QUOTED)
