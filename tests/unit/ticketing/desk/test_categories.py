"""Categories at a desk: what people say is kept, the commands, and the panel in the page."""

import json
import re
import shutil
import weakref
from contextlib import closing
from datetime import datetime

import pytest
from click.testing import CliRunner

from tests.fake_desk import FakeDesk
from tests.forms import token_on
from tests.tiny import swapped
from ticketing.classification import fit, training
from ticketing.classification.classifier import CategoryClassifier
from ticketing.classification.fit import Fitted
from ticketing.classification.synonyms import Synonyms
from ticketing.classification.taxonomy import Taxonomy, Title, tickets_taxonomy
from ticketing.cli.categories import command
from ticketing.cli.model_settings import read_category_settings
from ticketing.desk import Desk, leases, open_desk
from ticketing.errors import Conflict, InputError, NotFound, NotReady
from ticketing.people import LOCAL, Person, Role
from ticketing.settings import Settings
from ticketing.stores.sqlite import SQLiteStore
from ticketing.tickets import ModelKind, Ticket, Verdict
from web.app import create_app

HR, NOBODY = frozenset(["hr"]), frozenset()
HAL, EVE = Person("hal", Role.ENGINEER, HR), Person("eve", Role.ENGINEER, NOBODY)
FAST = [
    "loop.epochs=4",
    "loop.batch_size=4",
    "loop.learning_rate=1e-2",
    "network.dims=16",
    "network.buckets=1024",
    "network.encoder.hidden=16",
    "network.encoder.layers=1",
    "network.encoder.dense=16",
]
TITLES = [
    (f"{thing} {trouble}", group)
    for group, things in {"Turbine": ("turbine", "rotor"), "Pump": ("pump", "feed pump")}.items()
    for thing in things
    for trouble in ("trips", "vibrates", "leaks oil", "runs hot", "is noisy", "does not start")
]


# a desk ----------------------------------------------------------------------------


def titles() -> Taxonomy:
    return Taxonomy(Title(text, group) for text, group in TITLES)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A desk's home with a trained classifier of two categories."""
    home = tmp_path_factory.mktemp("home")
    with closing(open_desk(Settings(home=home))) as desk:
        settings = read_category_settings(FAST)
        desk.train_categories(titles(), ["please"], Synonyms(()), settings)
    return home


@pytest.fixture
def desk_home(home, tmp_path):
    """A copy of the trained desk, free of other tests' verdicts."""
    return shutil.copytree(home, tmp_path / "desk")


@pytest.fixture
def desk(desk_home):
    with closing(open_desk(Settings(home=desk_home))) as desk:
        yield desk


def serving(desk) -> CategoryClassifier:
    return CategoryClassifier.load(desk.models, desk.store.serving(ModelKind.CATEGORIES))


def test_without_a_classifier_it_says_what_to_do(tmp_path):
    with closing(open_desk(Settings(home=tmp_path))) as desk:
        assert not desk.has_categories()
        with pytest.raises(NotReady, match="ticketing categories train"):
            desk.propose_categories("rotor trips")


def test_training_leaves_a_bundle_that_serves_and_no_checkpoint(desk):
    assert desk.models.ids(ModelKind.CATEGORIES) == [desk.store.serving(ModelKind.CATEGORIES)]
    assert not list((desk.settings.home / "checkpoints").iterdir())
    assert desk.propose_categories("Rotor trips", 1)[0].group == "Turbine"
    assert desk.has_categories() and desk.store.serving() == ""


def test_for_the_first_subject_nothing_is_read_or_counted_that_could_be_before(desk, monkeypatch):
    def late(*_):
        raise AssertionError("whoever asks first waits for the classifier")

    desk.warm_up()
    monkeypatch.setattr(CategoryClassifier, "load", late)
    monkeypatch.setattr("ticketing.classification.classifier.TfidfMatcher", late)
    assert desk.propose_categories("Rotor trips", 1)[0].group == "Turbine"


def test_a_subject_far_from_everything_gets_no_proposal(desk):
    known = serving(desk)
    assert -1 < known.facts["floor"] <= 1
    known.facts["floor"] = 0.9999
    desk.store.set_serving(known.save(desk.models), ModelKind.CATEGORIES)
    assert desk.propose_categories("zzzz qqqq") == []


def test_a_blank_subject_and_an_unknown_category_are_refused(desk):
    with pytest.raises(InputError, match="blank"):
        desk.propose_categories(" \n")
    with pytest.raises(NotFound, match="no category 'Boat'"):
        desk.judge_category("rotor trips", "Boat", True, "ada")
    assert list(desk.store.verdicts()) == []


def test_verdicts_stand_for_each_judge_until_undone(desk):
    subject = "Rotor\u2028trips"
    for judge, category, right in (
        ("ada", "Turbine", True),
        ("ada", "Pump", False),
        ("bob", "Turbine", False),
        ("ada", "Pump", None),
    ):
        desk.judge_category(subject, category, right, judge)
    assert desk.category_verdicts(subject, "ada") == {"Turbine": True}
    assert desk.category_verdicts(subject, "bob") == {"Turbine": False}
    bundle_id = desk.store.serving(ModelKind.CATEGORIES)
    assert {said.bundle_id for said in desk.store.verdicts()} == {bundle_id}
    desk.judge_category(subject, "Pump", True, "cyd", event_id="once")
    desk.judge_category(subject, "Pump", True, "cyd", event_id="once")
    assert len(list(desk.store.verdicts())) == 5


@pytest.fixture
def of_tickets(desk):
    """A desk whose categories were learned from its tickets, some of which only hr may see."""
    rows = [
        ("open", "Pump leaks", "Pump", NOBODY),
        ("loud", "PUMP  is loud", "Pump", NOBODY),
        ("quiet", "pump is loud", "Pump", HR),
        ("fan", "Fan is loud", "Fan", NOBODY),
        ("copy", "Pump leaks", "Fan", HR),
        ("staff", "Layoffs in Munich", "People", HR),
        ("seal", "Pump seal of Zirconia", "Pump", HR),
    ]
    desk.put_tickets([Ticket(id, text, product=p, groups=g) for id, text, p, g in rows])
    learned = tickets_taxonomy(desk.store.iter_tickets())
    known = CategoryClassifier.index(serving(desk).encoder, learned, {})
    desk.store.set_serving(known.save(desk.models), ModelKind.CATEGORIES)
    swapped(desk)
    return desk


def proposed(desk, person, subject, limit=9) -> set[tuple[str, str]]:
    found = desk.seen_by(person).propose_categories(subject, limit)
    return {(item.group, item.title) for item in found}


def test_titles_and_categories_of_hidden_tickets_are_not_proposed(of_tickets):
    seen = {("Pump", "pump leaks"), ("Fan", "fan is loud")}
    all_ = {("Pump", "pump leaks"), ("Fan", "pump leaks"), ("People", "layoffs in munich")}
    for person, found in ((EVE, seen), (HAL, all_), (LOCAL, all_)):
        assert proposed(of_tickets, person, "pump leaks") == found
    assert ("People", "layoffs in munich") in proposed(of_tickets, HAL, "Layoffs in Munich", 1)
    assert "People" not in dict(proposed(of_tickets, EVE, "Layoffs in Munich"))
    [first] = of_tickets.seen_by(EVE).propose_categories("Pump seal of Zirconia", 1)
    assert "zirconia" not in first.title and first.score < 0.99


def test_a_title_is_proposed_that_a_ticket_seen_has_however_it_is_spelled(of_tickets):
    assert proposed(of_tickets, EVE, "pump is loud", 1) == {("Pump", "pump is loud")}
    of_tickets.delete_tickets(["loud"])
    assert ("Pump", "pump is loud") not in proposed(of_tickets, EVE, "pump is loud")


def test_titles_of_hidden_tickets_are_not_proposed_once_they_are_deleted(of_tickets):
    of_tickets.delete_tickets(["quiet", "copy", "staff", "seal"])
    for subject in ("Layoffs in Munich", "Pump seal of Zirconia", "pump leaks"):
        assert proposed(of_tickets, EVE, subject) <= {
            ("Pump", "pump leaks"),
            ("Pump", "pump is loud"),
            ("Fan", "fan is loud"),
        }
    assert proposed(of_tickets, LOCAL, "Layoffs in Munich", 1) == {("People", "layoffs in munich")}


def test_a_category_of_hidden_tickets_alone_is_none_to_judge(of_tickets):
    seen = of_tickets.seen_by(EVE)
    for category in ("People", "Boat"):
        with pytest.raises(NotFound, match=f"no category '{category}'"):
            seen.judge_category("pump leaks", category, False, "eve")
    assert list(of_tickets.store.verdicts()) == []
    seen.judge_category("pump leaks", "Fan", False, "eve")
    of_tickets.seen_by(HAL).judge_category("pump leaks", "People", False, "hal")
    assert [said.category for said in of_tickets.store.verdicts()] == ["Fan", "People"]


def test_titles_of_a_file_are_proposed_to_everybody(desk):
    for person in (EVE, LOCAL):
        assert proposed(desk, person, "rotor trips", 1) == {("Turbine", "rotor trips")}
    desk.seen_by(EVE).judge_category("rotor trips", "Turbine", True, "eve")


def test_two_processes_agree_on_what_serves_and_on_what_was_said(desk, desk_home):
    """What is said is seen by the other at once, and what serves as soon as it is loaded."""
    with closing(open_desk(Settings(home=desk_home))) as other:
        before = other.propose_categories("rotor trips", 1)
        known = serving(desk)
        renamed = Taxonomy(Title(t.text, f"new {t.group}") for t in known.taxonomy.titles)
        bundle_id = CategoryClassifier.index(known.encoder, renamed, {}).save(desk.models)
        desk.store.set_serving(bundle_id, ModelKind.CATEGORIES)
        swapped(other)
        [after] = other.propose_categories("rotor trips", 1)
        assert after.group == f"new {before[0].group}"
        desk.judge_category("rotor trips", after.group, True, "ada")
        assert other.category_verdicts("rotor trips", "ada") == {after.group: True}


def test_a_training_learns_from_verdicts_and_lets_its_classifier_serve(desk):
    before = desk.store.serving(ModelKind.CATEGORIES)
    desk.judge_category("the big wheel stands still", "Turbine", True, "ada")
    settings = read_category_settings([*FAST, "sampling.labels=1"])
    fitted = desk.train_categories(titles(), ["please"], Synonyms(()), settings, go_on=True)
    assert desk.store.serving(ModelKind.CATEGORIES) != before
    [found] = serving(desk).suggest("the big wheel stands still", 1)
    assert found.group == "Turbine"
    assert serving(desk).facts["accuracy"] == fitted.accuracy


def test_a_training_learns_nothing_of_the_titles_that_it_is_measured_on(desk, monkeypatch):
    """Neither from a verdict on such a title, nor since another seed keeps other titles."""
    told = []

    def spied(sources, *arguments):
        told.append(sources)
        return training.train(sources, *arguments)

    monkeypatch.setattr(fit, "train", spied)
    for seed, category in enumerate(("Turbine", "Pump")):
        settings = read_category_settings([*FAST, f"loop.seed={seed}"])
        desk.train_categories(titles(), ["please"], Synonyms(()), settings, go_on=True)
        kept = set(titles().texts) - set(told[0].taxonomy.texts)
        assert len(kept) == 2 and not kept & set(told[-1].taxonomy.texts)
        for text in (*kept, "the big wheel stands still"):
            desk.judge_category(text.upper(), category, True, "ada", f"{seed} {text}")
    assert [{label.text for label in sources.labels} for sources in told] == [
        set(),
        {"the big wheel stands still"},
    ]


def test_a_training_that_ends_before_its_classifier_serves_is_not_done_again(desk, monkeypatch):
    """Its checkpoint was deleted before the classifier was kept."""

    def killed(bundle_id):
        raise KeyboardInterrupt

    def twice(*_):
        raise AssertionError("a batch was trained again")

    asked = (titles(), ["please"], Synonyms(()), read_category_settings([*FAST, "loop.seed=3"]))
    before = desk.store.serving(ModelKind.CATEGORIES)
    with monkeypatch.context() as broken:
        broken.setattr(desk.models, "share", killed)
        with pytest.raises(KeyboardInterrupt):
            desk.train_categories(*asked)
    assert desk.store.serving(ModelKind.CATEGORIES) == before
    monkeypatch.setattr("ticketing.nn.trainer.Trainer.step", twice)
    desk.train_categories(*asked)
    assert desk.store.serving(ModelKind.CATEGORIES) != before
    assert not list((desk.settings.home / "checkpoints").iterdir())


def test_two_trainings_at_once_are_refused(desk, monkeypatch):
    monkeypatch.setattr(leases, "LEASE_SECONDS", 1.0)
    monkeypatch.setattr(leases, "RENEW_SECONDS", 0.1)
    here = leases.held(desk.store, "categories", or_raise=leases.Taken())
    with here, pytest.raises(NotReady):
        desk.train_categories(titles(), ["x"], Synonyms(()), read_category_settings(FAST))


def test_the_classifier_that_serves_is_not_deleted(desk):
    bundle_id = desk.store.serving(ModelKind.CATEGORIES)
    with pytest.raises(Conflict, match="proposes the desk’s categories"):
        desk.delete_bundle(bundle_id)
    desk.store.set_serving("another", ModelKind.CATEGORIES)
    desk.delete_bundle(bundle_id)
    assert desk.models.ids() == []


def test_the_file_of_an_earlier_version_is_taken_over_once(desk_home):
    folder = desk_home / "categories"
    folder.mkdir()
    event = {"event_id": "1", "subject": "ein\u2028s", "group": "Pump", "right": True}
    event |= {"judge": "ada", "time": "2026-01-02T00:00:00", "model_id": "m"}
    (folder / "feedback.jsonl").write_text(json.dumps(event, ensure_ascii=False) + "\n")
    for _ in range(2):
        with closing(open_desk(Settings(home=desk_home))) as desk:
            told = [Verdict("1", "ein\u2028s", "Pump", True, "ada", datetime(2026, 1, 2), "m")]
            assert list(desk.store.verdicts()) == told
    assert [path.name for path in folder.iterdir()] == ["feedback.jsonl.imported"]


# the commands ------------------------------------------------------------------------


def run(home, *arguments: str):
    return CliRunner(env={"TICKETING_HOME": str(home)}).invoke(command, arguments)


def test_train_and_suggest_from_a_table(tmp_path):
    table = tmp_path / "titles.csv"
    table.write_text("label,group\n" + "".join(f"{text},{group}\n" for text, group in TITLES))
    options = [option for value in FAST for option in ("--set", value)]
    trained = run(tmp_path, "train", "--titles", str(table), *options)
    assert trained.exception is None, trained.output
    assert "24 titles in 2 categories." in trained.output
    assert re.search(r"validation titles \d+% find their category \(\d+% by", trained.output)
    asked = run(tmp_path, "suggest", "feed pump leaks oil", "--limit", "1")
    assert re.fullmatch(r" 1\.00  Pump  \(as 'feed pump leaks oil'\)\n", asked.output)


def test_train_reads_tickets_one_by_one(tmp_path, monkeypatch):
    """The one that is read, and the one before it until then, are all that is held."""
    with closing(open_desk(Settings(home=tmp_path))) as desk:
        fan = Ticket("fan", "Fan is loud", "The fan hums.", product="Fan")
        pumps = [Ticket(f"{i}", f"Pump {i} leaks", "It hums.", product="Pump") for i in range(9)]
        desk.put_tickets([fan, *pumps])
    held, most, learned = [], [], []
    read = SQLiteStore.iter_tickets

    def watched(store):
        for ticket in read(store):
            held.append(weakref.ref(ticket))
            most.append(sum(one() is not None for one in held))
            yield ticket

    def told(desk, taxonomy, words, *_):
        learned.extend([len(taxonomy.texts), words])
        return Fitted(None, None, None)

    monkeypatch.setattr(SQLiteStore, "iter_tickets", watched)
    monkeypatch.setattr(Desk, "train_categories", told)
    assert run(tmp_path, "train").exception is None
    assert learned == [10, ["hums", "it"]]
    assert max(most) == 2


def test_of_two_titles_a_category_none_is_left_to_measure_it(tmp_path):
    table = tmp_path / "titles.csv"
    rows = ["pump leaks,Pump", "pump is loud,Pump", "fan leaks,Fan", "fan is loud,Fan"]
    table.write_text("\n".join(["label,group", *rows]))
    options = [option for value in FAST for option in ("--set", value)]
    trained = run(tmp_path, "train", "--titles", str(table), *options)
    assert trained.exception is None, trained.output
    assert "No title could be kept aside to measure it.\n" in trained.output
    assert "find their category" not in trained.output
    with closing(open_desk(Settings(home=tmp_path))) as desk:
        assert serving(desk).facts["accuracy"] is None


def test_a_network_that_goes_on_takes_no_settings_of_another(desk_home):
    trained = run(desk_home, "train", "--continue", "--set", "network.dims=8")
    assert isinstance(trained.exception, InputError)
    assert str(trained.exception) == (
        "--set network.dims=8 makes another network, and --continue goes on with the one that "
        "there is; leave one of them out."
    )


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("loop.epochs", "--set loop.epochs: write it as"),
        ("epochs=1", "--set epochs=1: write it as"),
        ("loop.nothing=1", "loop.nothing=1: nothing here is called that"),
        (
            "network.encoder.layer=4",
            "network.encoder.layer=4: nothing here is called that; write network.encoder.layers.",
        ),
        ("loop.epochs.x=1", "loop.epochs={'x': 1}: give a whole number"),
        ("objective.loss=none", "objective.loss='none'"),
        ("network.encoder.hidden=0", "network.encoder.hidden=0"),
    ],
)
def test_an_override_that_cannot_be_is_one_sentence(override, sentence):
    with pytest.raises(InputError, match=re.escape(sentence)):
        read_category_settings([override])


# the page ----------------------------------------------------------------------------


def opened(home):
    client = create_app(FakeDesk(Settings(home=home))).test_client()
    return client, post(client, "/", "/", subject="Rotor trips again").location


def post(client, page: str, address: str, **fields):
    token = token_on(client, page)
    return client.post(address, data={"csrf_token": token, **fields})


def pressed(page: str) -> list[str]:
    return re.findall(r'name="right" value="(\w+)" aria-pressed="true"', page)


def test_a_desk_without_categories_shows_no_panel(tmp_path):
    client, address = opened(tmp_path)
    assert 'id="categories"' not in client.get(address).text


def test_the_page_proposes_categories_and_remembers_the_answer(desk, desk_home):
    client, address = opened(desk_home)
    page = client.get(address).text
    assert "Turbine" in page and pressed(page) == []
    answered = post(client, address, f"{address}/categories", group="Turbine", right="YES")
    assert answered.status_code == 303
    assert pressed(client.get(answered.location.split("#")[0]).text) == ["YES"]
    post(client, address, f"{address}/categories", group="Turbine", right="NO")
    assert pressed(client.get(address).text) == ["NO"]
    post(client, address, f"{address}/categories", group="Turbine", right="")
    assert pressed(client.get(address).text) == []
    verdicts = list(desk.store.verdicts())
    assert [said.right for said in verdicts] == [True, False, None]
    assert {said.subject for said in verdicts} == {"Rotor trips again"}


def test_an_answer_leads_back_to_the_filters_and_the_place_it_was_given_at(desk, desk_home):
    client, address = opened(desk_home)
    was_at = f"{address}?product=SGT-400&order=newest#categories"
    fields = {"group": "Turbine", "right": "YES", "next": was_at}
    assert post(client, address, f"{address}/categories", **fields).location == was_at


def test_a_proposal_shows_its_chance_and_one_below_the_floor_is_not_made(desk, desk_home):
    known = serving(desk)
    scores = [item.score for item in desk.propose_categories("Rotor trips again", 2)]
    known.facts |= {"chance": {"slope": 0.0, "intercept": -1.5856}, "floor": sum(scores) / 2}
    desk.store.set_serving(known.save(desk.models), ModelKind.CATEGORIES)
    client, address = opened(desk_home)
    page = client.get(address).text
    assert page.count("right with a chance of 17\u00a0%") == 1
    known.facts["floor"] = 0.9999
    desk.store.set_serving(known.save(desk.models), ModelKind.CATEGORIES)
    swapped(client.application.extensions["desk"])
    assert "No category is near enough to this subject." in client.get(address).text


def test_a_category_that_is_a_product_filters_the_candidates(desk, desk_home):
    known = serving(desk)
    named = Taxonomy(
        Title(title.text, {"Turbine": "SGT-400"}.get(title.group, title.group))
        for title in known.taxonomy.titles
    )
    bundle_id = CategoryClassifier.index(known.encoder, named, {}).save(desk.models)
    desk.store.set_serving(bundle_id, ModelKind.CATEGORIES)
    client, address = opened(desk_home)
    [link] = re.findall(r'href="([^"]+)">Only its tickets', client.get(address).text)
    filtered = client.get(link).text
    assert link == f"{address}?product=SGT-400"
    assert "SGT-300" not in re.sub(r"<select.*?</select>", "", filtered, flags=re.S)
    assert "Only its tickets" not in filtered


@pytest.mark.parametrize(
    ("fields", "status"),
    [({"group": "Boat", "right": "YES"}, 404), ({"group": "Pump", "right": "x"}, 400), ({}, 400)],
)
def test_an_answer_that_cannot_be_is_refused(desk, desk_home, fields, status):
    client, address = opened(desk_home)
    assert post(client, address, f"{address}/categories", **fields).status_code == status
    assert list(desk.store.verdicts()) == []


def test_a_damaged_classifier_takes_no_ticket_from_the_page(desk, desk_home):
    bundle_id = desk.store.serving(ModelKind.CATEGORIES)
    (desk_home / "models" / bundle_id / "titles.safetensors").write_bytes(b"x")
    client, address = opened(desk_home)
    page = client.get(address)
    assert page.status_code == 200
    assert "titles.safetensors" in page.text and 'id="s1"' in page.text
