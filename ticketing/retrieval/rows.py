"""The rows of an answer: the best tickets, and tickets found by id or by numbers and codes.

Texts are fetched as needed, and near-copies are folded into one row.
"""

from collections.abc import Iterator, Mapping
from itertools import count

import numpy as np

from ticketing.batches import batches
from ticketing.model.inference import Model
from ticketing.retrieval.folding import Folder, Row
from ticketing.retrieval.leading import led
from ticketing.retrieval.match import Match, certain_of
from ticketing.retrieval.naming import is_an_id, mentions_in, named_by, names_in
from ticketing.retrieval.parts import parts_of
from ticketing.retrieval.ranking import Nearest
from ticketing.retrieval.solved import SolvedNow
from ticketing.retrieval.verbatim import codes_alone, naming_any
from ticketing.stores.protocols import RankedTickets, ReadTicket
from ticketing.text.telling import TellingWords
from ticketing.tickets import Filters, Query


class AnswerRows:
    """The rows of the answer to one query, computed by `first`.

    `codes` are the query's numbers and codes, if it consists of these alone. After `first`,
    `outdated` says whether tickets were deleted or changed since their codes were read, and `by_id`
    whether the only row is the ticket whose id is the query. `mentioned` holds the ids of the
    tickets mentioned in the query's text that exist and pass the filters.
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
        """`solved` gives solved queries, which are further texts of their tickets."""
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
        """The nearest tickets in at most `limit` rows, after the ticket whose id is the query's
        subject; or the tickets that contain the query's codes, if it consists of these alone. Sets
        `mentioned`."""
        query, self.outdated = self._query, False
        step = limit + limit // 2 + 1  # some are folded; one more ends the last row
        best, mentions = found.best.ids_at(slice(step)), mentions_in(query)
        first = self._store.read_tickets([*names_in(query), *mentions, *best])
        there = [first[id][0] for id in mentions if id in first]
        self.mentioned = tuple(ticket.id for ticket in there if self._filters.admit(ticket))
        named = named_by(query, found.query, self._filters, first, self._model)
        if named and is_an_id(query):
            self.by_id = True
            return self._folder.fold([named], limit)
        if self.codes:
            matches = self._by_code(found, step)
        else:
            matches = certain_of(query, self._matches(found, step, first, named))
        return [led(query, row) for row in self._folder.fold(matches, limit)]

    def _by_code(self, found: Nearest, step: int) -> Iterator[Match]:
        """Tickets that have a code of the query, read `step` at a time. Nothing is known about the
        chance that one helps, so it gets the lowest chance of the compared tickets; a ticket with
        that id, or one that solved this very query, gets 1."""
        of = found.chances.yes, found.chances.related
        last = [float(chances[-1]) if len(chances) else 0.0 for chances in of]
        ranks, ids = count(1), {code.upper() for code in self.codes}
        of_query = self._query, self.codes, self._filters, self._telling
        naming = naming_any(self._store, self._solved(), *of_query)
        for some in batches(naming, step):
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
        """The best tickets in order, after the one found by id (`named`). All but those in `first`
        are fetched `step` at a time. Sets `outdated` if a ticket was deleted or changed since its
        codes were read."""
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
