"""The rows of an answer: the best tickets, and those that the query names or that name its codes.

Texts are fetched as they are needed, and near-copies fold into one row.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

import numpy as np

from ticketing.model.inference import Model
from ticketing.retrieval.folding import Folder, Row
from ticketing.retrieval.leading import led
from ticketing.retrieval.match import Match, certain_of
from ticketing.retrieval.naming import is_an_id, mentions_in, named_by, names_in
from ticketing.retrieval.parts import parts_of
from ticketing.retrieval.ranking import Nearest
from ticketing.retrieval.solved import SolvedNow
from ticketing.retrieval.verbatim import Naming, codes_alone, naming_any
from ticketing.stores.protocols import RankedTickets, ReadTicket
from ticketing.text.telling import TellingWords
from ticketing.tickets import Filters, Query


class AnswerRows:
    """The rows of the answer to one query, as far as they are `first` asked for.

    `codes` are the numbers and codes that are all that is asked. Afterwards `outdated` says whether
    tickets are gone since their codes were read, and `by_id` that the row is the ticket whose id is
    all that is asked.
    """

    def __init__(
        self,
        store: RankedTickets,
        model: Model,
        folder: Folder,
        query: Query,
        filters: Filters,
        telling: TellingWords,
        solved: SolvedNow,
    ):
        """What is `solved` is further texts of tickets."""
        self._store = store
        self._model = model
        self._folder = folder
        self._query = query
        self._filters = filters
        self._telling = telling
        self._solved = solved
        self.codes = codes_alone(query, telling)
        self.outdated = False
        self.by_id = False
        self.mentioned: tuple[str, ...] = ()

    def first(self, found: Nearest, limit: int) -> list[Row]:
        """The nearest tickets in `limit` rows at most, after one that the query names, or what is
        named alone where nothing else is asked. Sets `mentioned`."""
        query, self.outdated = self._query, False
        step = limit + limit // 2 + 1  # some fold; one more ends the last
        best, mentions = found.best.ids_at(slice(step)), mentions_in(query)
        first = self._store.read_tickets([*names_in(query), *mentions, *best])
        there = [first[id][0] for id in mentions if id in first]
        self.mentioned = tuple(ticket.id for ticket in there if self._filters.admit(ticket))
        named = named_by(query, found.query, self._filters, first, self._model)
        if named and is_an_id(query):
            self.by_id = True
            return self._folder.fold([named], limit)
        if self.codes:
            rows = self._naming(found, limit, step)
        else:
            matches = certain_of(query, self._matches(found, step, first, named))
            rows = self._folder.fold(matches, limit)
        return [led(query, row) for row in rows]

    def _naming(self, found: Nearest, limit: int, step: int) -> list[Row]:
        """The tickets that name one of the codes that are all that is asked."""
        of_query = self._query, self.codes, self._filters, self._telling
        return self._folder.fold(
            self._by_code(found, naming_any(self._store, self._solved(), *of_query), step), limit
        )

    def _by_code(self, found: Nearest, naming: Sequence[Naming], step: int) -> Iterator[Match]:
        """Tickets that name the query's codes, read `step` at a time. Nothing is known of how
        likely one helps: it has the chance of the last that was compared, but for one whose id it
        is or that solved the very query."""
        of = found.chances.yes, found.chances.related
        last = [float(chances[-1]) if len(chances) else 0.0 for chances in of]
        ranks, ids = count(1), {code.upper() for code in self.codes}
        for start in range(0, len(naming), step):
            some = naming[start : start + step]
            read = self._store.read_tickets([one.ticket_id for one in some])
            seen = [x for x in some if x.ticket_id in read]
            seen = [x for x in seen if self._filters.admit(read[x.ticket_id][0])]
            codes = self._model.encode_tickets([read[x.ticket_id][0] for x in seen])
            for one, code in zip(seen, codes, strict=True):
                ticket, tokens = read[one.ticket_id]
                by_id = ticket.id.upper() in ids
                [parts] = parts_of(self._model, found.query, code[np.newaxis])
                yes, related = last if one.named and not by_id else (1.0, 0.0)
                yield Match(
                    next(ranks),
                    ticket,
                    code,
                    distance=sum(part.distance for part in parts),
                    chance=yes,
                    chance_related=related,
                    by_id=by_id,
                    by_code=() if by_id else one.named,
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
