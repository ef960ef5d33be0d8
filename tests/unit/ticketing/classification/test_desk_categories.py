"""Categories at a desk: what people say is kept, the commands, and the panel in the page."""

import json
import re
import shutil
from datetime import datetime

import pytest
from click.testing import CliRunner
from filelock import FileLock

from tests.fake_desk import FakeDesk
from ticketing.classification.model import CategoryModel
from ticketing.classification.normaliser import Normaliser
from ticketing.classification.synonyms import Synonyms
from ticketing.classification.taxonomy import Taxonomy, Title
from ticketing.classification.verdicts import FeedbackEvent, FeedbackFile, Verdict, derive_verdicts
from ticketing.cli.categories import command
from ticketing.cli.model_settings import read_category_settings
from ticketing.errors import InputError, NotFound, NotReady, StoreError
from ticketing.settings import Settings
from web.app import create_app

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


def event(**changes) -> FeedbackEvent:
    given = {"event_id": "1", "subject": "Rotor trips", "group": "Turbine", "right": True}
    return FeedbackEvent(
        **{**given, "judge": "ada", "time": datetime(2026, 1, 2), "model_id": "m", **changes}
    )


# what people say -------------------------------------------------------------------


@pytest.fixture
def feedback(tmp_path):
    return FeedbackFile(tmp_path / "feedback.jsonl")


def test_events_are_kept_in_order_and_the_same_one_twice_is_once(feedback):
    events = [
        event(),
        event(event_id="2", right=None),
        event(event_id="3", subject="zweite\n“Zeile”"),
    ]
    for each in [*events, events[0]]:
        feedback.add(each)
    assert feedback.events() == events


def test_an_event_cut_short_by_a_crash_is_none_and_the_next_is_whole(feedback):
    feedback.add(event())
    with open(feedback.path, "a") as file:
        file.write('{"event_id": "2", "subj')
    assert feedback.events() == [event()]
    feedback.add(event(event_id="3"))
    assert feedback.events() == [event(), event(event_id="3")]


def test_a_line_that_is_no_event_is_named(feedback):
    feedback.path.write_text("{}\n")
    with pytest.raises(StoreError, match=r"feedback\.jsonl:1 is no event"):
        feedback.events()


def test_the_latest_answer_of_each_judge_counts_and_the_majority_decides():
    said = [
        event(judge="ada", right=True),
        event(judge="bob", right=False),
        event(judge="cyd", right=False, subject="ROTOR  trips"),
        event(judge="dan", right=True, group="Pump"),
        event(judge="dan", right=None, group="Pump"),
        event(judge="ada", right=True, subject="tie"),
        event(judge="bob", right=False, subject="tie"),
    ]
    assert derive_verdicts(said) == [Verdict("rotor trips", "Turbine", False)]


# a desk ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A desk's home with a trained model of two categories."""
    home = tmp_path_factory.mktemp("home")
    titles = Taxonomy(Title(text, group) for text, group in TITLES)
    settings = read_category_settings(FAST)
    Normaliser(home).train(titles, ["please"], Synonyms(()), settings)
    return home


@pytest.fixture
def desk_home(home, tmp_path):
    """A copy of the trained desk, free of other tests' answers."""
    return shutil.copytree(home, tmp_path / "desk")


def test_without_a_model_it_says_what_to_do(tmp_path):
    with pytest.raises(NotReady, match="ticketing categories train"):
        Normaliser(tmp_path).suggest("rotor trips")


def test_training_leaves_a_model_and_no_checkpoint(home):
    assert sorted(p.name for p in (home / "categories").iterdir() if not p.is_file()) == ["model"]
    assert not list((home / "categories").glob("*.checkpoint"))
    assert Normaliser(home).suggest("Rotor trips", 1)[0].group == "Turbine"


def test_a_subject_far_from_everything_gets_no_proposal(home):
    normaliser = Normaliser(home)
    assert -1 < normaliser.model().facts["floor"] <= 1
    normaliser.model().facts["floor"] = 0.9999
    assert normaliser.suggest("zzzz qqqq") == []


def test_a_blank_subject_and_an_unknown_category_are_refused(desk_home):
    normaliser = Normaliser(desk_home)
    with pytest.raises(InputError, match="blank"):
        normaliser.suggest(" \n")
    with pytest.raises(NotFound, match="no category 'Boat'"):
        normaliser.judge("rotor trips", "Boat", True, "ada")


def test_a_newly_trained_model_is_used_at_once(desk_home):
    normaliser = Normaliser(desk_home)
    before = normaliser.model()
    assert normaliser.model() is before
    before.save(desk_home / "categories" / "model")
    assert normaliser.model() is not before


def test_two_trainings_at_once_are_refused(desk_home):
    titles = Taxonomy(Title(text, group) for text, group in TITLES)
    with FileLock(desk_home / "categories" / "training.lock"), pytest.raises(NotReady):
        Normaliser(desk_home).train(titles, ["x"], None, read_category_settings(FAST))


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
    assert re.search(r"held-out titles \d+% find their category \(\d+% by", trained.output)
    asked = run(tmp_path, "suggest", "feed pump leaks oil", "--limit", "1")
    assert re.fullmatch(r" 1\.00  Pump  \(as 'feed pump leaks oil'\)\n", asked.output)


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("loop.epochs", "--set loop.epochs: write it as"),
        ("epochs=1", "--set epochs=1: write it as"),
        ("loop.nothing=1", "loop.nothing=1: Extra inputs are not permitted"),
        ("loop.epochs.x=1", "loop.epochs={'x': 1}: Input should be a valid integer"),
        ("recipe.loss=none", "recipe.loss='none'"),
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
    token = re.search(r'name="csrf_token" value="([^"]+)"', client.get(page).text)[1]
    return client.post(address, data={"csrf_token": token, **fields})


def pressed(page: str) -> list[str]:
    return re.findall(r'name="right" value="(\w+)" aria-pressed="true"', page)


def test_a_desk_without_categories_shows_no_panel(tmp_path):
    client, address = opened(tmp_path)
    assert 'id="categories"' not in client.get(address).text


def test_the_page_proposes_categories_and_remembers_the_answer(desk_home):
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
    lines = (desk_home / "categories" / "feedback.jsonl").read_text().splitlines()
    assert [json.loads(line)["right"] for line in lines] == [True, False, None]
    assert {json.loads(line)["subject"] for line in lines} == {"Rotor trips again"}


def test_a_category_that_is_a_product_filters_the_candidates(desk_home):
    normaliser = Normaliser(desk_home)
    known = normaliser.model().taxonomy.titles
    titles = Taxonomy(Title(t.text, {"Turbine": "SGT-400"}.get(t.group, t.group)) for t in known)
    CategoryModel.index(normaliser.model().network, titles, {}).save(
        desk_home / "categories" / "model"
    )
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
def test_an_answer_that_cannot_be_is_refused(desk_home, fields, status):
    client, address = opened(desk_home)
    assert post(client, address, f"{address}/categories", **fields).status_code == status
    assert not (desk_home / "categories" / "feedback.jsonl").exists()


def test_a_damaged_model_takes_no_ticket_from_the_page(desk_home):
    (desk_home / "categories" / "model" / "arrays.safetensors").write_bytes(b"x")
    client, address = opened(desk_home)
    page = client.get(address)
    assert page.status_code == 200
    assert "arrays.safetensors" in page.text and 'id="r1"' in page.text
