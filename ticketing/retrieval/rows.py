"""The rows of an answer: the best tickets, and those that the query names or that name its codes.

Texts are fetched as they are needed, and near-copies fold into one row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ticketing.model.inference import Model
from ticketing.retrieval.folding import Folder, Match, Row, certain_of
from ticketing.retrieval.leading import led
from ticketing.retrieval.naming import is_an_id, named_by, names_in
from ticketing.retrieval.parts import parts_of
from ticketing.retrieval.ranking import Nearest
from ticketing.retrieval.solved import SolvedNow
from ticketing.retrieval.verbatim import (
    MOST_BROUGHT,
    Naming,
    naming_any,
    naming_rare,
)
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
        if not (rows := self._naming_alone(found, limit, step)):
            matches = certain_of(query, self._matches(found, step, first, named))
            rows = self._with_rare(found, self._folder.fold(matches, limit), limit)
        return [led(query, row) for row in rows]

    def _naming_alone(self, found: Nearest, limit: int, step: int) -> list[Row]:
        """Where codes are all that is asked, the tickets that name one, or solved a query that
        does."""
        if not self._codes:
            return []
        of_query = self._query, self._codes, self._filters
        naming = naming_any(self._store, self._solved(), *of_query, step)
        if not (by_code := self._by_code(found, naming)):
            return []
        said = {code for match in by_code for code in match.by_code or self._codes}
        self.named = tuple(code for code in self._codes if code in said)
        return self._folder.fold(certain_of(self._query, _after([], by_code)), limit)

    def _with_rare(self, found: Nearest, rows: list[Row], limit: int) -> list[Row]:
        """The rows, at the end of which those tickets come that name a rare code of the query and
        were not among them."""
        if not (most := min(MOST_BROUGHT, limit // 3)):
            return rows
        shown = {match.ticket.id for match in _flat(rows)}
        naming = naming_rare(self._store, self._query, self._filters)
        left = [one for one in naming if one.ticket_id not in shown][:most]
        if not (brought := self._by_code(found, left)):
            return rows
        kept = _flat(rows[: limit - len(brought)])
        return self._folder.fold([*kept, *_after(kept, brought)], limit)

    def _by_code(self, found: Nearest, naming: Sequence[Naming]) -> list[Match]:
        """Tickets that name the query's codes, without a rank. Nothing is known of how likely one
        helps: it is given the chance of the last that was compared."""
        read = self._store.read_tickets([one.ticket_id for one in naming])
        seen = [one for one in naming if one.ticket_id in read]
        if not seen:
            return []
        tickets = [read[one.ticket_id][0] for one in seen]
        codes = self._model.encode_tickets(tickets)
        parts = parts_of(self._model, found.query, codes)
        chances = found.chances
        yes, related = (float(of[-1]) if len(of) else 0.0 for of in (chances.yes, chances.related))
        return [
            Match(
                rank=0,
                ticket=ticket,
                code=code,
                distance=sum(part.distance for part in own),
                chance=yes,
                chance_related=related,
                by_code=one.named,
                solved=one.solved,
                tokens=read[ticket.id][1],
            )
            for one, ticket, code, own in zip(seen, tickets, codes, parts, strict=True)
            if self._filters.admit(ticket)
        ]

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


def _flat(rows: Sequence[Row]) -> list[Match]:
    """The matches of rows by rank."""
    return sorted((one for row in rows for one in (row.best, *row.like)), key=lambda x: x.rank)


def _after(ranked: Sequence[Match], others: Sequence[Match]) -> list[Match]:
    """Those of the others that are not ranked yet, with the ranks that come next."""
    there, last = {match.ticket.id for match in ranked}, max((x.rank for x in ranked), default=0)
    new = (match for match in others if match.ticket.id not in there)
    return [replace(match, rank=rank) for rank, match in enumerate(new, last + 1)]
