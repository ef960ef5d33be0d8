"""The rows of an answer: the best tickets, and those that the query names or that name its codes.

Texts are fetched as they are needed, and near-copies fold into one row.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

import numpy as np

from ticketing.model.inference import Model
from ticketing.retrieval.folding import Folder, Match, Row, certain_of
from ticketing.retrieval.leading import led
from ticketing.retrieval.naming import is_an_id, named_by, names_in
from ticketing.retrieval.parts import parts_of
from ticketing.retrieval.ranking import Nearest
from ticketing.retrieval.solved import SolvedNow
from ticketing.retrieval.verbatim import Naming, naming_any
from ticketing.stores.protocols import RankedTickets, ReadTicket
from ticketing.tickets import Filters, Query


class AnswerRows:
    """The rows of the answer to one query, as far as they are `first` asked for.

    After that `outdated` says whether tickets are gone since their codes were read, `by_id` that
    the row is the ticket whose id is all that was asked, and `named` are the numbers and codes that
    are all that was asked, which the rows name.
    """

    def __init__(
        self,
        store: RankedTickets,
        model: Model,
        folder: Folder,
        query: Query,
        filters: Filters,
        codes: Sequence[str],
        solved: SolvedNow,
    ):
        """See `codes_alone` for `codes`; what is `solved` is further texts of tickets."""
        self._store = store
        self._model = model
        self._folder = folder
        self._query = query
        self._filters = filters
        self._codes = codes
        self._solved = solved
        self.outdated = False
        self.by_id = False
        self.named: tuple[str, ...] = ()

    def first(self, found: Nearest, limit: int) -> list[Row]:
        """The nearest tickets in `limit` rows at most, after one that the query names, or what is
        named alone where nothing else is asked."""
        query, self.outdated = self._query, False
        step = limit + limit // 2 + 1  # some fold; one more ends the last
        first = self._store.read_tickets([*names_in(query), *found.best.ids_at(slice(step))])
        named = named_by(query, found.query, self._filters, first, self._model)
        if named and is_an_id(query):
            self.by_id = True
            return self._folder.fold([named], limit)
        rows = self._naming_alone(found, limit, step)
        if not rows:
            matches = certain_of(query, self._matches(found, step, first, named))
            rows = self._folder.fold(matches, limit)
        return [led(query, row) for row in rows]

    def _naming_alone(self, found: Nearest, limit: int, step: int) -> list[Row]:
        """Where codes are all that is asked, the tickets that name one, or solved a query that
        does."""
        if not self._codes:
            return []
        solved, of_query = self._solved(), (self._query, self._codes, self._filters)
        by_code = self._by_code(found, naming_any(self._store, solved, *of_query), step)
        rows = self._folder.fold(certain_of(self._query, by_code), limit)
        every = [match for row in rows for match in (row.best, *row.like)]
        said = {code for match in every for code in match.by_code or self._codes}
        self.named = tuple(code for code in self._codes if code in said)
        return rows

    def _by_code(self, found: Nearest, naming: Sequence[Naming], step: int) -> Iterator[Match]:
        """Tickets that name the query's codes, read `step` at a time. Nothing is known of how
        likely one helps: it has the chance of the last that was compared."""
        of = found.chances.yes, found.chances.related
        yes, related = (float(chances[-1]) if len(chances) else 0.0 for chances in of)
        ranks = count(1)
        for start in range(0, len(naming), step):
            some = naming[start : start + step]
            read = self._store.read_tickets([one.ticket_id for one in some])
            seen = [x for x in some if x.ticket_id in read]
            seen = [x for x in seen if self._filters.admit(read[x.ticket_id][0])]
            codes = self._model.encode_tickets([read[x.ticket_id][0] for x in seen])
            for one, code in zip(seen, codes, strict=True):
                ticket, tokens = read[one.ticket_id]
                [parts] = parts_of(self._model, found.query, code[np.newaxis])
                yield Match(
                    next(ranks),
                    ticket,
                    code,
                    distance=sum(part.distance for part in parts),
                    chance=yes,
                    chance_related=related,
                    by_code=one.named,
                    solved=one.solved,
                    tokens=tokens,
                )

    def _matches(
        self,
        found: Nearest,
        step: int,
        first: Mapping[str, ReadTicket],
        named: Match | None,
    ) -> Iterator[Match]:
        """The best tickets in order, fetched `step` at a time but for the `first`, after one that
        was named; they are outdated where one was deleted or changed since its codes were read."""
        best, chances = found.best, found.chances
        rank, ahead = 0, None
        if named:
            rank, ahead = 1, best.rank_of(named.ticket.id)
            yield named
        for start in range(0, len(best.places), step):
            some = slice(start, start + step)
            ids, codes = best.ids_at(some), best.compared.rows(best.places[some])
            tickets = self._store.read_tickets(ids) if start else first
            for i, (id, code) in enumerate(zip(ids, codes, strict=True), start):
                ticket, tokens = tickets.get(id, (None, ""))
                if ticket is None or not self._filters.admit(ticket):
                    self.outdated = True
                    continue
                if named and ticket.id == named.ticket.id:
                    continue
                rank += 1
                yield Match(
                    rank,
                    ticket,
                    code,
                    distance=float(best.distances[i]),
                    chance=float(chances.yes[i]),
                    chance_related=float(chances.related[i]),
                    moved=best.moved(i, ahead),
                    solved=best.solved(i),
                    tokens=tokens,
                )
