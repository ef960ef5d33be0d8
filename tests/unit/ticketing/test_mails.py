"""What is read of a mail that somebody pastes as a query."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ticketing.mails import read_mail, without_marks
from ticketing.tickets import Query

OUTLOOK = """From: John Smith <john@acme.example>
Sent: Monday, 3 March 2014 10:12
To: Service Desk
Subject: RE: Pump trips

Hello team,

The pump trips since noon.

Best regards,
John Smith
Acme Ltd, Phone +44 20 123456

This e-mail is confidential and intended solely for the addressee. If you have
received it in error, please delete it.
"""

THREAD = """Sehr geehrte Frau Weber,
bitte prüfen.
Mit freundlichen Grüßen
Anna

-----Ursprüngliche Nachricht-----
Von : Jens Maier
Gesendet : Dienstag, 4. März 2014
Betreff : AW: WG: Pumpe fällt aus

Seit Mittag.
Gruß
Jens
"""

GMAIL = """---------- Forwarded message ---------
From: *Maria* <maria@shop.example>
Subject: Fwd: [EXTERNAL] Pump trips
To: <help@desk.example>

Hi,
it hums

Sent from my phone
"""

FORM = """Number: INC0012345
Caller: Ann
Configuration item: pump 7
Short description: Pump trips
Description: It hums
"""

ISSUE = """AB-7 Pump trips
Type: Bug
Status: Open
Priority: Major
Reporter: Ann
It hums
"""

MAILS = [
    (
        FORM,
        "Pump trips",
        "Number: INC0012345\nCaller: Ann\nConfiguration item: pump 7\n\nDescription: It hums",
    ),
    (FORM.replace("Configuration item: pump 7\n", ""), "Pump trips", "Description: It hums"),
    (ISSUE, "", "AB-7 Pump trips\n\nIt hums"),
    ("Summary: Pump trips\nIt hums", "Pump trips", "It hums"),
    (OUTLOOK, "Pump trips", "The pump trips since noon."),
    (THREAD, "Pumpe fällt aus", "bitte prüfen.\n\nSeit Mittag."),
    (GMAIL, "Pump trips", "it hums"),
    ("Subject: Pump trips\nIt hums", "Pump trips", "It hums"),
    ("> De : A\n> Objet : Pompe\n\nArrêt", "Pompe", "Arrêt"),
    ("From: a\nSubject:\n\nIt hums", "", "It hums"),
    ("Subject: Pump trips", "Pump trips", ""),
]


@pytest.mark.parametrize(("text", "subject", "said"), MAILS)
def test_a_mail_is_read_without_head_greeting_and_signature(text, subject, said):
    assert read_mail(text) == (subject, said)
    assert read_mail(text.replace("\n", "\r\n")) == (subject, said)
    assert not subject or Query.typed("", text) == Query(subject, said)


KEPT = [
    "Thanks",
    "Hello turbine trips\nat noon",
    "It trips\nThanks\nThe log says:\nERROR 17",
    "It trips\nThanks\nfoo(bar)",
    "It trips\nRegards\nPS it is the new pump",
    "It trips\nThanks\nIt only happens on Mondays at noon.",
    f"It trips\nThanks\n{'It happens each Monday at noon; then the valve opens and ' * 2}it stops",
    "It trips\nThanks to the pump\nit stands",
    "It trips\nThanks" + 25 * "\nname",
    "Issuer: CN=a\nSubject: CN=b\nexpired",
    "From: 10:00\nTo: 11:00\nno pressure",
    "Status: open\nPriority: 1\nType: pump\nit hums",
    "It hums\nTitle: Pump",
    "valve\n----------\npump",
]


@pytest.mark.parametrize("text", KEPT)
def test_a_text_in_doubt_stays(text):
    assert read_mail(text) == ("", text)


def test_below_a_head_a_subject_by_itself_is_no_head():
    """The line of a certificate in the text of a mail was left out."""
    said = "It ends soon:\nSubject: CN=b\nof\nTitle: c\nexpired"
    assert read_mail(f"From: a\nSubject: Certificate\n\n{said}") == ("Certificate", said)
    assert read_mail(f"Summary: Certificate\n\n{said}") == ("Certificate", said)


MARKS = [
    ("RE: Pump", "Pump"),
    ("Re[2]: AW: Fwd: Pump trips", "Pump trips"),
    ("[EXTERNAL] RE : Pump", "Pump"),
    ("RE:", "RE:"),
    ("Red: lamp", "Red: lamp"),
    (" Pump RE: trips ", "Pump RE: trips"),
]


@pytest.mark.parametrize(("subject", "read"), MARKS)
def test_marks_of_mail_programs_are_no_part_of_a_subject(subject, read):
    assert without_marks(subject) == read
    assert Query.typed(subject, "It hums") == Query(read, "It hums")


def test_a_subject_that_somebody_wrote_comes_before_that_of_the_mail():
    assert Query.typed("Pump", OUTLOOK) == Query("Pump", "The pump trips since noon.")


def test_a_greeting_is_no_subject():
    assert Query.typed("", "Hello,\n\nPump trips\nIt hums") == Query("Pump trips", "It hums")


PIECES = ["From: a", "Subject: b", "Hello,", "Thanks", "It trips.", "x = 1", "", "-----", "Bob"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("\n".join))
def test_lines_are_left_out_and_never_changed(text):
    subject, said = read_mail(text)
    assert subject in ("", "b")
    lines = iter(text.split("\n"))
    assert all(line in lines for line in said.split("\n") if line)
    assert {"It trips.", "x = 1"} & {*text.split("\n")} <= {*said.split("\n")}
