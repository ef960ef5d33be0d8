"""Why a ticket was proposed: the telling words of the query that it has, or has in other words."""

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
"""Shared words that are named, those that tell most."""

MOST_ASKED = 60
"""Words of a query that are looked for: those that tickets have and those that tell most. (A pasted
log holds thousands.)"""


MOST_NAMED = 3
"""Numbers and codes that both texts name and that are said."""

SHORTEST_CODE = 3
"""Characters of a number or code that is named: "5" says little, "1603" a lot."""

QUOTED = 120
"""Characters of a query that is quoted."""


class Reasons:
    """Finds reasons under one model."""

    def __init__(self, model: Model, telling: TellingWords):
        self._telling = telling
        self._alignment = Alignment(model, telling)

    def reasons(self, query: Query, words: Sequence[str], matches: Sequence[Match]) -> list[Reason]:
        """Why tickets were proposed to a query, of whose text these are the tokens."""
        telling = self._telling.beside(words)
        of_matches = [dict.fromkeys(telling.of(match.words)) for match in matches]
        all_said = set().union(*of_matches)
        asked = most_telling(telling, words, all_said)
        near = self._alignment.near(asked, all_said)
        forms = {form: singular(token) for token in asked for form in numbers_of(singular(token))}
        shared = {forms[form] for form in all_said.intersection(forms)}
        alike = {one for _, one, _ in near}
        named = [token for token in asked if forms[token] in shared or token in alike]
        written = first_written(query.text, named)
        shown = {token: written[token] for token in named}
        by_form: dict[str, tuple[str, float]] = {}
        for token in named:
            by_form.setdefault(forms[token], (written[token], telling.weight(token)))
        return [
            self._reason(query, by_form, shown, codes, match, said, forms, near)
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
        """The reason of a match, whose telling tokens are `said`; `asked` are the query's, each as
        it was written, and `forms` all that share a singular with one, with that singular.
        `by_form` has how it was written, and what it weighs, by singular, what tells most first;
        `codes` are those that both name."""
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
        own = () if match.solved else match.by_code  # what is read of the ticket may end before
        named = tuple(dict.fromkeys([*own, *codes]))[:MOST_NAMED]
        by_code = bool(match.by_code)
        judged = match.settles(query)
        return Reason(best, alike, named, match.by_id, by_code, match.moved, solved, judged)


def most_telling(telling: TellingWords, words: Iterable[str], said: Set[str]) -> list[str]:
    """MOST_ASKED telling words of a query at most: first those that are `said`, each kind by
    what it tells."""

    def place(token: str) -> tuple[bool, float]:
        return said.isdisjoint(numbers_of(singular(token))), -telling.weight(token)

    return sorted(telling.of(words), key=place)[:MOST_ASKED]


def codes_named(query: Query, matches: Sequence[Match]) -> list[list[str]]:
    """The numbers and codes of a query that each match names too, those first that few of the
    matches name: all may name one product."""
    codes = [code for code in literals(query.text[:READ]) if len(code) >= SHORTEST_CODE]
    named = [named_in(match.text, codes) for match in matches]
    times = Counter(chain.from_iterable(named))
    return [sorted(of_one, key=times.__getitem__) for of_one in named]


def _beginning(query: Query) -> str:
    """What a query begins with, as it is quoted."""
    return shortened(query.text.strip().split("\n")[0], QUOTED)
