"""What queries find that are typed or pasted in other ways: `TICKETING_HOME=… python -m
tests.benchmarks.pasted BUNDLE SINCE BEFORE`.

Asks the desk's judged queries that are tickets created from SINCE until BEFORE (dates), by a bundle
that was learned before. They are asked as they are, with all of their text in the description,
without their subject, as mails and forms that are made of them in turn from MAILS and FORMS, and in
lower case; each as they stand and as `Query.typed` reads them. Prints Acc@10 and MAP@10 without
time and with.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from zlib import crc32

from tests.benchmarks.arguments import arguments
from ticketing.desk import open_desk
from ticketing.evaluation.metrics import evaluate, with_answers
from ticketing.evaluation.runs import in_memory, run_queries
from ticketing.evaluation.text_table import table_text
from ticketing.retrieval.memory import findable
from ticketing.settings import load_settings
from ticketing.tickets import Filters, Query, queries_of

OUTLOOK = """From: John Smith <john.smith@acme.example>
Sent: Monday, 3 March 2014 10:12
To: Service Desk <service@desk.example>
Cc: Bob Miller
Subject: RE: {subject}

Hello team,

{description}

Best regards,
John Smith
Senior Service Engineer
Acme Power Services Ltd
Phone +44 20 123456
www.acme.example

This e-mail and any attachments are confidential and intended solely for the addressee. If you have
received it in error, please notify the sender and delete it.
"""

GERMAN = """Sehr geehrte Damen und Herren,

bitte um Bearbeitung.

Mit freundlichen Grüßen
Anna Weber

-----Ursprüngliche Nachricht-----
Von: Jens Maier
Gesendet: Dienstag, 4. März 2014 08:30
An: Anna Weber
Betreff: {subject}

{description}

Gruß
Jens Maier
Tel.: 0911 123456
"""

GMAIL = """---------- Forwarded message ---------
From: *Maria Lopez* <maria@shop.example>
Date: Tue, Mar 4, 2014 at 9:15 AM
Subject: Fwd: [EXTERNAL] {subject}
To: <help@desk.example>

Hi,
{description}

Thanks,
Maria

Sent from my phone
"""

SIGNED = """{subject}

{description}

Kind regards

Raj Patel
IT Operations | Example Mining | Perth
raj.patel@mining.example
"""

FORM = """Number: INC0012345
Caller: John Smith
Opened: 2014-03-03 10:12:44
Priority: 3 - Moderate
State: In Progress
Assignment group: Service Desk
Short description: {subject}
Description: {description}
"""

ISSUE = """ABC-123 {subject}
Type: Bug
Status: OPEN
Priority: Major
Reporter: John Smith
Assignee: Anna Weber
Created: 03/Mar/14 10:12 AM
Description
{description}
"""

FORMS = (FORM, ISSUE)
"""As two ticket systems show a ticket."""

MAILS = (OUTLOOK, GERMAN, GMAIL, SIGNED)
"""As four mail programs write them: an answer, two forwarded mails, and a text with a signature."""


def _filled(forms: Sequence[str], query: Query) -> tuple[str, str]:
    form = forms[crc32(query.id.encode()) % len(forms)]
    return "", form.format(subject=query.subject, description=query.description)


WAYS: dict[str, Callable[[Query], tuple[str, str]]] = {
    "subject and description": lambda query: (query.subject, query.description),
    "all in the description": lambda query: ("", query.text.strip()),
    "no subject": lambda query: ("", query.description.strip() or query.subject),
    "a mail": partial(_filled, MAILS),
    "a form": partial(_filled, FORMS),
    "in lower case": lambda query: (query.subject.lower(), query.description.lower()),
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
