"""What queries find that are typed into one field: `TICKETING_HOME=… python -m
tests.benchmarks.one_field BUNDLE SINCE BEFORE`.

Asks the desk's judged queries that are tickets created from SINCE until BEFORE (dates), by a bundle
that was learned before. They are asked as they are, with all of their text in the description, and
without their subject; the latter two as they stand and as `Query.typed` reads them. Prints Acc@10
and MAP@10 without time and with.
"""

from dataclasses import replace
from datetime import datetime

from tests.benchmarks.arguments import arguments
from ticketing.desk import open_desk
from ticketing.evaluation.metrics import evaluate, with_answers
from ticketing.evaluation.runs import in_memory, queries_of, run_queries
from ticketing.evaluation.text_table import table_text
from ticketing.retrieval.memory import findable
from ticketing.settings import load_settings
from ticketing.tickets import Filters, Query

WAYS = {
    "subject and description": lambda query: (query.subject, query.description),
    "all in the description": lambda query: ("", query.text.strip()),
    "no subject": lambda query: ("", query.description.strip() or query.subject),
}


def main() -> None:
    """Print a line for each way to type a query, and for each of two ways to read it."""
    given = arguments(__doc__, bundle=str, since=str, before=str)
    desk = open_desk(load_settings())
    rankers = in_memory(desk.store, desk.recommender(given.bundle).model)
    since, before = map(datetime.fromisoformat, (given.since, given.before))
    asked = Filters(created_since=since, created_before=before)
    ids = {ticket.id for ticket in desk.store.iter_tickets(asked)}
    labels = [label for label in desk.labels() if label.query.ticket_id in ids]
    labels = with_answers(findable(desk.store, labels))
    print(f"{len(queries_of(labels))} queries")
    timed = rankers.recommender()
    rows = [["", "without time", "with time"]]
    for way, texts in WAYS.items():
        for reads, made in (("", Query), (", as it is typed", Query.typed)):
            if reads and way == "subject and description":
                continue  # both are the same
            changed = [
                replace(
                    label, query=replace(made(*texts(label.query)), ticket_id=label.query.ticket_id)
                )
                for label in labels
            ]
            figures = []
            for recommender in (timed.by_text(), timed):
                found = evaluate(changed, run_queries(recommender, queries_of(changed), 10))
                means = [sum(found[name]) / len(found[name]) for name in ("Acc@10", "MAP@10")]
                figures.append(" / ".join(f"{mean:.3f}" for mean in means))
            rows.append([way + reads, *figures])
    print("\n".join(table_text(rows)))


if __name__ == "__main__":
    main()
