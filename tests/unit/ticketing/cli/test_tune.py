"""`ticketing tune`: what it writes and what it refuses."""

from tests.commands import refused, run
from ticketing.cli.tune import command
from ticketing.errors import InputError
from ticketing.tickets import Judgment
from ticketing.times import utc_now


def test_it_writes_a_folder_and_says_how_to_learn_from_it(desk, archive_labels, encoder, tmp_path):
    desk.store.add_judgments(
        [
            Judgment(f"{n}", x.query, x.ticket_id, x.grade, "somebody", utc_now())
            for n, x in enumerate(archive_labels)
        ]
    )
    out = tmp_path / "out"
    told = run(command, str(out), "--encoder", str(encoder), "--set=tuning.epochs=1")
    assert f"training.teacher={out}" in told
    assert (out / "model.safetensors").is_file()
    assert "is there already" in refused(InputError, command, str(out), "--encoder", str(encoder))


def test_a_desk_without_judgments_has_nothing_to_tune_on(desk, encoder, tmp_path):
    message = refused(InputError, command, str(tmp_path / "out"), "--encoder", str(encoder))
    assert message.startswith("No ticket is judged YES or REL")


def test_labels_that_a_date_leaves_out_are_not_said_to_be_missing(
    desk, archive_labels, encoder, tmp_path
):
    """“No ticket is judged YES or REL”, at a desk with labels, was all that was said."""
    label = archive_labels[0]
    judged = Judgment("1", label.query, label.ticket_id, label.grade, "somebody", utc_now())
    desk.store.add_judgments([judged])
    options = ("--encoder", str(encoder), "--before", "1990-01-01")
    message = refused(InputError, command, str(tmp_path / "out"), *options)
    assert "for a query to learn from" in message and "--before leaves out later" in message


def test_without_an_encoder_it_says_what_to_install(home, tmp_path):
    message = refused(InputError, command, str(tmp_path / "out"), "--encoder", "")
    assert "pip install '.[teacher]'" in message
