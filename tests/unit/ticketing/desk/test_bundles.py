"""How a bundle comes to serve: labels, training, comparison, the switch and the way back."""

from dataclasses import replace
from datetime import datetime

import pytest

from tests.tiny import TINY, other_bundle, tiny_training
from ticketing.desk import leases, open_desk
from ticketing.errors import BundleError, EncoderAway, NotFound, NotReady, StoreAway
from ticketing.jobs import JobKind, JobState
from ticketing.labels import is_test
from ticketing.model import components
from ticketing.model.projection import DIMS
from ticketing.model.registry import Registry
from ticketing.stores.protocols import parted
from ticketing.tickets import Grade, Judgment, Query, Ticket

NOON = datetime(2020, 1, 1, 12)


def reindex(desk, bundle_id):
    desk.store.put_codes(bundle_id, desk.encode(bundle_id, list(desk.store.iter_tickets())))


def ids(answer):
    return [each.ticket.id for item in answer.items for each in (item, *item.like)]


ASKED = Query("Barring drive pawl faulty", "Break-away torque greater than the drive can give.")


def test_a_truncated_bundle_is_refused_with_the_name_of_its_file(desk, trained):
    path = desk.models.folder / trained[1] / "network.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    again = open_desk(desk.settings)
    with pytest.raises(BundleError, match=r"network\.safetensors is truncated"):
        again.recommend(ASKED)


def test_an_encoder_that_is_not_here_is_no_fault_of_whoever_asks(desk, trained, monkeypatch):
    """A query was refused with 400, and a job failed that another machine could have done."""

    def gone(bundle_id):
        raise EncoderAway("/srv/encoder holds no weights; copy the encoder there.")

    again = open_desk(desk.settings)
    monkeypatch.setattr(again.models, "load", gone)
    for ask in (lambda: again.recommend(ASKED), lambda: again.encode(trained[1], [])):
        with pytest.raises(EncoderAway, match="copy the encoder there") as found:
            ask()
        assert (found.value.status, found.value.retry) == (503, True)
    assert again.readiness().missing == [
        f"Bundle {trained[1]} cannot be loaded; `ticketing check` says why."
    ]


def test_tickets_get_vectors_only_where_the_store_keeps_them(desk, trained, monkeypatch):
    tickets, sizes = list(desk.store.iter_tickets())[:3], []
    for kept in (False, True):
        monkeypatch.setattr(type(desk.whole), "keeps_vectors", kept)
        sizes.append({len(row.vector) for row in desk.encode(trained[1], tickets)})
    assert sizes == [{0}, {DIMS}]


def test_a_training_that_names_no_settings_has_those_of_the_serving_bundle(desk, trained):
    """Trainings of the schedule and the page had the default ones: they took S from a desk."""
    manifest = desk.models.manifest(trained[1])
    sizes = {"hidden": 6, "word_dims": 8, "character_dims": 4, "topics": 5, "max_words": 24}
    assert manifest["asked"]["network"] == sizes
    asked = desk.training_arguments()
    assert asked["network"] == sizes
    assert asked["training"] == manifest["asked"]["training"]
    assert (asked["training"]["teacher"], asked["training"]["epochs"]) == ("", 1)
    assert {"network.hidden=6", 'training.teacher=""'} <= set(desk.usual_settings_named())
    named = desk.training_arguments(training={"epochs": 3})
    assert (named["network"], named["training"]) == ({}, {"epochs": 3})
    assert desk.training_arguments({}, {})["training"] == {}


def test_settings_are_the_default_ones_where_the_serving_bundle_does_not_say_its_own(desk, trained):
    """One of an earlier program, one that is damaged, and none at all."""
    desk.store.set_serving(other_bundle(desk, trained[1]))
    assert desk.usual_settings() == {}
    desk.store.set_serving("damaged")
    assert (desk.usual_settings(), desk.usual_settings_named()) == ({}, [])
    assert desk.training_arguments()["network"] == {}


def judge_all(desk, grade_of):
    """Judgments of fifty test queries, each for every ticket that `grade_of` grades."""
    events = []
    for asked, ticket in enumerate([*desk.store.iter_tickets()] * 20):
        query = Query(ticket.subject, f"{ticket.description} {asked}")
        if is_test(query.id):
            for id, grade in grade_of(query, ticket).items():
                events.append(Judgment(f"{query.id}{id}", query, id, grade, "ann", NOON))
    desk.store.add_judgments(events[:50])


def test_a_bundle_whose_codes_are_missing_may_not_serve(desk, trained):
    other = other_bundle(desk, trained[1])
    with pytest.raises(NotReady, match=f"Bundle {other} has no codes of 40 tickets"):
        desk.promote(other)
    assert desk.store.serving() == trained[1]


def test_a_bundle_is_compared_with_the_codes_of_all_tickets_or_not_at_all(desk, trained):
    """One that was trained with --no-promote had Acc@10 0, "a loss that chance hardly explains"."""
    desk.models.share(other := other_bundle(desk, trained[1]))
    judge_all(desk, lambda query, ticket: {ticket.id: Grade.YES})
    for pair in ((other, trained[1]), (trained[1], other)):
        with pytest.raises(NotReady, match=f"Bundle {other} has no codes of 40 tickets; run"):
            desk.compare(*pair)
    reindex(desk, other)
    whole = desk.compare(other, trained[1])
    assert whole.new["Acc@10"] > 0
    some = sorted(ticket.id for ticket in desk.store.iter_tickets())[:32]
    desk.store.forget_codes(other, some)
    assert desk.compare(other, trained[1]) == whole
    desk.store.forget_codes(other, some)
    assert desk.promote(other).endswith(f": {whole}.")


def test_a_ticket_that_came_since_the_reindexing_is_found_under_either_bundle(desk, trained):
    other = other_bundle(desk, trained[1])
    reindex(desk, other)
    desk.put_tickets([Ticket("came", "Barring drive pawl faulty")])
    desk.promote(other, force=True)
    assert desk.store.stale_ids(other) == []
    desk.put_tickets([Ticket("later", "Barring drive pawl faulty again")])
    desk.rollback()
    assert desk.store.stale_ids(trained[1]) == []
    assert {"came", "later"} < set(ids(desk.recommend(ASKED)))


def test_a_ticket_put_while_the_bundles_are_switched_is_found_at_once(desk, trained, monkeypatch):
    other = other_bundle(desk, trained[1])
    reindex(desk, other)
    encode = desk.encode

    def encode_and_switch(bundle_id, tickets, tokens=None):
        desk.store.set_serving(other)
        return encode(bundle_id, tickets)

    monkeypatch.setattr(desk, "encode", encode_and_switch)
    desk.put_tickets([Ticket("came", "Barring drive pawl faulty")])
    assert "came" in ids(desk.recommend(ASKED))


def test_tickets_are_encoded_by_the_tokens_that_the_store_keeps(desk, trained, monkeypatch):
    """The same codes as of their texts, which are not read again."""
    bundle, tickets = trained[1], list(desk.store.iter_tickets())
    rows = {row.ticket_id: row for row in desk.encode(bundle, tickets)}
    read = parted(desk.store.read_tickets([*rows]))

    def read_again(text):
        raise AssertionError(text)

    monkeypatch.setattr(components, "tokenize", read_again)
    assert {row.ticket_id: row for row in desk.encode(bundle, *read)} == rows
    desk.put_tickets([replace(tickets[0], id="came")])
    [came] = [row for row in desk.store.code_rows(bundle) if row.ticket_id == "came"]
    assert came.code == rows[tickets[0].id].code


@pytest.mark.parametrize("action", ["promote", "recommender"])
def test_an_unknown_bundle_is_not_found(desk, trained, action):
    with pytest.raises(NotFound, match="no bundle 'nowhere'"):
        getattr(desk, action)("nowhere")
    assert desk.store.serving() == trained[1]


def test_a_better_bundle_serves_and_the_previous_one_can_come_back(desk, trained):
    other = other_bundle(desk, trained[1])
    reindex(desk, other)

    def grades(query, ticket):
        """What the other bundle finds first is right."""
        return {desk.recommender(other).rank(query)[0][0]: Grade.YES}

    judge_all(desk, grades)
    told = desk.promote(other)
    assert told.startswith(f"Bundle {other} serves now: on ")
    assert "Acc@10 1.000 against " in told
    assert desk.store.serving() == other
    assert desk.promote(other) == f"Bundle {other} serves already."
    with pytest.raises(NotReady, match=f"Bundle {trained[1]} served before, not nothing"):
        desk.rollback("nothing")
    assert desk.rollback(trained[1]) == f"Bundle {trained[1]} serves again."
    assert desk.rollback(trained[1]) == f"Bundle {trained[1]} serves already."
    assert desk.recommend(ASKED).bundle_id == trained[1]


def test_a_bundle_that_was_deleted_is_nothing_to_go_back_to(desk, trained):
    other = other_bundle(desk, trained[1])
    reindex(desk, other)
    desk.promote(other, force=True)
    desk.rollback()
    desk.delete_bundle(other)
    with pytest.raises(NotReady, match=f"Bundle {other} served before and is deleted; there is"):
        desk.rollback()


def test_a_bundle_that_is_deleted_while_it_is_to_serve_does_not_serve(desk, trained, monkeypatch):
    """It served, and no query was answered until somebody rolled back."""
    other = other_bundle(desk, trained[1])
    reindex(desk, other)
    verify = "ticketing.retrieval.verify.verify_codes"
    monkeypatch.setattr(verify, lambda *_: desk.delete_bundle(other))
    with pytest.raises(NotFound, match=f"Bundle {other} was deleted meanwhile; nothing was"):
        desk.promote(other, force=True)
    assert desk.store.serving() == trained[1]
    assert desk.recommend(ASKED).bundle_id == trained[1]


def test_a_worse_bundle_is_refused_unless_forced(desk, trained):
    other = other_bundle(desk, trained[1])
    reindex(desk, other)

    def grades(query, ticket):
        """Right is, of what the serving bundle finds, what the other finds last."""
        place = {id: i for i, (id, _) in enumerate(desk.recommender(other).rank(query, limit=40))}
        found = [id for id, _ in desk.recommender(trained[1]).rank(query)]
        return {max(found, key=place.__getitem__): Grade.YES}

    judge_all(desk, grades)
    assert f"Bundle {other} was not promoted: on " in desk.promote(other)
    assert desk.store.serving() == trained[1]
    assert desk.promote(other, force=True) == f"Bundle {other} serves now."
    assert desk.store.previous_serving() == trained[1]


def test_a_ticket_that_was_deleted_counts_against_no_bundle(desk, trained):
    other = other_bundle(desk, trained[1])
    reindex(desk, other)
    judge_all(desk, lambda query, ticket: {ticket.id: Grade.YES})
    test = [label for label in desk.labels() if is_test(label.query.id)]
    assert desk.compare(other, trained[1]).queries == len(test)
    gone = test[0].ticket_id
    desk.store.delete_tickets([gone])
    left = sum(label.ticket_id != gone for label in test)
    assert desk.compare(other, trained[1]).queries == left < len(test)


def test_a_judgment_of_a_younger_ticket_counts_against_no_bundle(desk, trained, archive_tickets):
    other = other_bundle(desk, trained[1])
    reindex(desk, other)
    old, *_, new = sorted(archive_tickets, key=lambda ticket: ticket.created)
    asked = [Query(old.subject, str(n), old.id) for n in range(40)]
    query = next(query for query in asked if is_test(query.id))
    desk.store.add_judgments([Judgment("e", query, new.id, Grade.YES, "ann", NOON)])
    assert desk.compare(other, trained[1]).queries == 0


def test_a_promotion_that_is_repeated_is_listed_once(desk, trained):
    """A worker that was killed after it had let a bundle serve did so again."""
    desk.models.share(other := other_bundle(desk, trained[1]))
    for _ in range(2):
        assert desk.let_serve(other, ": won", "record") == f"Bundle {other} serves now: won."
    assert [job.message for job in desk.store.jobs()] == [f"Bundle {other} serves now: won."]


def test_a_bundle_that_was_deleted_elsewhere_is_not_compared(desk, trained, archive_tickets):
    """Its codes were made again, or it was said to lack them."""
    desk.models.share(other := other_bundle(desk, trained[1]))
    reindex(desk, other)
    judge_all(desk, lambda query, ticket: {ticket.id: Grade.YES})
    assert desk.compare(other, trained[1])
    open_desk(desk.settings).delete_bundle(other)
    desk.delete_tickets([ticket.id for ticket in archive_tickets[10:]])
    with pytest.raises(NotFound, match=f"Bundle {other} was deleted meanwhile"):
        desk.compare(other, trained[1])
    assert desk.store.bundles() == [trained[1]]


def test_what_came_of_a_bundle_stands_among_the_jobs(desk, trained):
    other = other_bundle(desk, trained[1])
    reindex(desk, other)
    judge_all(desk, lambda query, ticket: {ticket.id: Grade.YES})
    verdict = desk.promote(other)
    assert verdict.startswith(f"Bundle {other} serves now: on ")
    desk.rollback()
    assert {(job.kind, job.bundle_id, job.state, job.message) for job in desk.store.jobs()} == {
        ("promotion", other, "done", verdict),
        ("promotion", trained[1], "done", f"Bundle {trained[1]} serves again."),
    }


def test_a_ticket_that_a_job_set_aside_does_not_hold_up_a_bundle(desk, trained):
    other = other_bundle(desk, trained[1])
    reindex(desk, other)
    desk.store.put_tickets([Ticket("A-1", "cannot be encoded")])
    job = desk.store.create_job(JobKind.REINDEX, other, 41)
    desk.store.update_job(job.id, errors={"A-1": "no"})
    for _ in range(30):  # as many as a desk with hourly imports has in a day
        desk.store.create_job(JobKind.IMPORT, "", 1)
    assert "serves now" in desk.promote(other)
    assert desk.store.stale_ids(other) == ["A-1"], "it is not tried again"


def test_a_ticket_that_was_set_aside_is_found_once_its_text_is_another(desk, trained):
    """It was left out for ever, though an import said that all can be found."""
    job = desk.store.create_job(JobKind.REINDEX, trained[1], 41)
    ticket = next(desk.store.iter_tickets())
    desk.store.update_job(job.id, errors={ticket.id: "OSError: it passed"})
    desk.put_tickets([replace(ticket, subject="the barring drive squeals")])
    assert desk.store.stale_ids(trained[1]) == []
    assert desk.recommend(Query("the barring drive squeals")).items[0].ticket.id == ticket.id


def test_a_ticket_that_still_cannot_be_encoded_holds_up_no_other(desk, trained, monkeypatch):
    job = desk.store.create_job(JobKind.REINDEX, trained[1], 41)
    odd, even, *_ = desk.store.iter_tickets()
    desk.store.update_job(job.id, errors={odd.id: "ValueError: odd"})
    encode = desk.encode

    def picky(bundle_id, tickets, tokens):
        if odd.id in {ticket.id for ticket in tickets}:
            raise ValueError("odd")
        return encode(bundle_id, tickets, tokens)

    monkeypatch.setattr(desk, "encode", picky)
    desk.put_tickets([replace(x, subject="squeals") for x in (odd, even)])
    assert desk.store.stale_ids(trained[1]) == [odd.id]


def test_what_was_set_aside_before_a_whole_reindex_no_longer_is(desk, trained):
    ticket = next(desk.store.iter_tickets())
    for errors in ({ticket.id: "OSError: it passed"}, {}):
        job = desk.store.create_job(JobKind.REINDEX, trained[1], 41)
        desk.store.update_job(job.id, errors=errors, state=JobState.DONE)
    desk.store.put_tickets([replace(ticket, subject="changed beside the desk")])
    [finding] = [x for x in desk.findings() if "lack" in x.what]
    assert "1 ticket" in finding.what


def test_labels_of_test_queries_never_reach_training(desk, trained, monkeypatch):
    tickets = list(desk.store.iter_tickets())
    queries = [Query(f"problem {i}") for i in range(60)]
    desk.store.add_judgments(
        [Judgment(q.id, q, tickets[0].id, Grade.YES, "ann", NOON) for q in queries]
    )
    seen = {}

    def spy(tickets, labels, *_):
        seen.update(tickets=[*tickets], labels=labels)
        return trained[1]

    monkeypatch.setattr("ticketing.training.train.train", spy)
    assert desk.train(TINY, tiny_training()) == trained[1]
    assert seen["tickets"] == tickets
    held = {query.id for query in queries if is_test(query.id)}
    assert 0 < len(held) < 60
    assert {label.query.id for label in seen["labels"]} == {q.id for q in queries} - held


def test_training_before_a_date_sees_nothing_younger(desk, trained, monkeypatch):
    tickets = sorted(desk.store.iter_tickets(), key=lambda ticket: ticket.created)
    old, young = tickets[0], tickets[-1]
    between = tickets[20].created
    free = next(q for q in (Query(f"free {i}") for i in range(99)) if not is_test(q.id))
    pairs = [
        (replace(free, ticket_id=""), old),
        (replace(free, ticket_id=""), young),
        *((Query(f"linked {i}", ticket_id=young.id), old) for i in range(9)),
    ]
    desk.store.add_judgments(
        [Judgment(str(i), q, t.id, Grade.YES, "ann", NOON) for i, (q, t) in enumerate(pairs)]
    )
    seen = {}
    monkeypatch.setattr(
        "ticketing.training.train.train",
        lambda tickets, labels, *_: seen.update(tickets=[*tickets], labels=labels) or trained[1],
    )
    desk.train(TINY, tiny_training(), before=between)
    assert {t.id for t in seen["tickets"]} == {t.id for t in tickets[:20]}
    assert [(label.query.id, label.ticket_id) for label in seen["labels"]] == [(free.id, old.id)]


def test_a_training_that_ends_before_its_bundle_is_in_the_store_is_not_done_again(
    desk, monkeypatch
):
    """Whoever goes on finds all that was learned."""

    def killed(bundle_id):
        shared.append(bundle_id)
        raise KeyboardInterrupt

    def twice(*_):
        raise AssertionError("a batch was trained again")

    shared, folder = [], desk.settings.home / "checkpoints"
    with monkeypatch.context() as broken:
        broken.setattr(desk.models, "share", killed)
        with pytest.raises(KeyboardInterrupt):
            desk.train(TINY, tiny_training())
    assert list(folder.glob("*.network"))
    monkeypatch.setattr("ticketing.nn.trainer.Trainer.step", twice)
    assert [desk.train(TINY, tiny_training())] == shared
    assert desk.models.shared() >= set(shared)
    assert sorted(path.suffix for path in folder.iterdir()) == [".topics", ".vectors"]


def test_a_bundle_is_noted_however_long_the_store_is_away(desk, trained, monkeypatch):
    def note(bundle_id):
        noted.append(bundle_id)
        if len(noted) < 3:
            raise StoreAway("The store is away.")

    noted, made = [], trained[1]
    monkeypatch.setattr("ticketing.desk.training.AGAIN_SECONDS", 0.0)
    monkeypatch.setattr("ticketing.training.train.train", lambda *given: given[-1](made) or made)
    assert desk.train(TINY, tiny_training(), on_made=note) == made
    assert noted == [made, made, made]


def test_two_trainings_at_once_are_refused(desk, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_SECONDS", 1.0)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.1)
    other = open_desk(desk.settings)
    with (
        leases.held(other.store, "training", or_raise=leases.Taken()),
        pytest.raises(NotReady, match="Another training"),
    ):
        desk.train(TINY, tiny_training())


def test_the_newest_bundle_is_the_one_trained_last(desk, trained):
    assert desk.bundle() == trained[1]
    desk.models.share(other := other_bundle(desk, trained[1]))
    assert desk.bundle() == other
    assert isinstance(desk.models, Registry)


def test_a_bundle_that_is_not_here_is_not_found(desk, trained):
    assert desk.bundle(trained[1]) == trained[1]
    with pytest.raises(NotFound, match="There is no bundle 'nope'"):
        desk.bundle("nope")
