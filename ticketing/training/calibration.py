"""Fits the calibration, which turns distances into chances, after the network is trained.

Training queries of the calibration are ranked over the whole archive by the scan that will serve.
Queries that people judged count 1 each, and unjudged tickets count as NO. Each such query is also
used without its right tickets, with a weight of UNANSWERED, as a query that has no answer. Everyday
texts (`off_topic.toml`) are examples of queries about other topics; people's queries, also their
subjects alone, since people often write only a subject, are examples of the archive's topics.

With few queries, the weights stay near those of other desks; without any judgments, they are those
of other desks. Only which ticket is right (`which`) is also learned from tickets that ask their own
subject, once with the rest of their text among the candidates and once without. Together these have
the weight of the judged queries that are missing to FEW.
"""

import random
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from ticketing.model.calibration import GENERAL, LIKELY, SHOWN, Calibration, Evidence, Logistic
from ticketing.model.inference import Model
from ticketing.retrieval.memory import EncodedTickets, encoded, findable, searchable
from ticketing.retrieval.recommend import Recommender
from ticketing.tickets import Grade, Label, Query, TicketList
from ticketing.training.logistic import fit_logistic

ANCHORS = 256
"""Number of sampled tickets whose distances give a query's typical distance."""

UNANSWERED = 0.1
"""Weight of a query whose right tickets were removed."""

FEW = 30
"""Number of judged queries from which on weak queries have no weight."""

ANSWERED = 0.7
"""Share of the weak queries' weight for those whose answer is among the candidates."""

MOST_WEAK = 200

PROMISED, HIDDEN = 0.03, 0.1
"""The threshold lies between two chances: the one that only a share PROMISED of the everyday texts
exceeds, and the one below which a share HIDDEN of the answers lies."""

TOWARDS_ANSWERS = 0.4
"""Position of the threshold between these, from the everyday texts (0) to the answers (1), in log
odds. Nearer to the answers, too many short queries would be told that nothing matches well."""

PRIOR_QUERIES = 3
"""Number of judged queries whose threshold has the same weight as that of other desks."""


@dataclass(frozen=True)
class Asked:
    """The evidence of a query, the grades of its nearest tickets (`found`), and the query's
    weight."""

    evidence: Evidence
    found: npt.NDArray[np.int64]
    weight: float

    @property
    def answered(self) -> bool:
        """Whether a YES is among the tickets shown."""
        return bool((self.found[:SHOWN] == Grade.YES).any())


def calibrate(
    model: Model,
    tickets: TicketList,
    labels: Sequence[Label],
    weak: Collection[str],
    folder: Path,
    on_step: Callable[[], object],
) -> None:
    """Fit and set the model's anchors and calibration.

    `labels` are those of validation queries, and `weak` are ids of tickets that may be used as
    queries. The tickets' codes lie in `folder` meanwhile, see `encoded`. `on_step` is called before
    each piece of the archive and each query, and an exception from it ends the work.
    """
    asking = {*weak, *(label.query.ticket_id for label in labels)}
    known = asking | {label.ticket_id for label in labels}
    whole = encoded(model, tickets, "calibrating", known, folder, on_step)
    labels = findable(whole, labels)
    block = whole.codes("")
    model.anchors = block.codes[block.live[:: len(block.live) // ANCHORS + 1]]
    recommender = Recommender(whole, model)
    strange: dict[Query, dict[str, Grade]] = {Query(text): {} for text in off_topic()}
    everyday = list(_asked(recommender, strange, 1.0, on_step, counted=False))
    people = list(_judged(recommender, labels, on_step))
    subjects = list(_asked(recommender, _subjects(labels), 1.0, on_step))
    lacking = FEW - len(people) / 2
    own = list(_weak(model, whole, weak, lacking, on_step)) if lacking > 0 else []
    model.calibration = learn(people, subjects, own, everyday)


def some_of(ids: Collection[str], seed: int) -> list[str]:
    """A seeded sample of at most MOST_WEAK tickets to use as queries, if no tickets were left out
    of training."""
    return random.Random(seed).sample(sorted(ids), min(len(ids), MOST_WEAK))


def off_topic() -> list[str]:
    """The everyday texts."""
    text = files("ticketing.training").joinpath("off_topic.toml").read_text(encoding="utf-8")
    found: list[str] = tomllib.loads(text)["texts"]
    return found


def _judged(
    recommender: Recommender, labels: Sequence[Label], on_step: Callable[[], object]
) -> Iterator[Asked]:
    """Queries that have a YES, each also without its right tickets."""
    grades: dict[Query, dict[str, Grade]] = {}
    for label in sorted(labels, key=lambda label: label.query.id):
        grades.setdefault(label.query, {})[label.ticket_id] = label.grade
    answerable = {x: found for x, found in grades.items() if Grade.YES in found.values()}
    for asked in _asked(recommender, answerable, 1.0, on_step):
        yield asked
        wrong = asked.found != Grade.YES
        if wrong.any():
            evidence = asked.evidence.kept(wrong)
            yield Asked(evidence, asked.found[wrong], UNANSWERED)


def _subjects(labels: Sequence[Label]) -> dict[Query, dict[str, Grade]]:
    """The subjects alone of people's queries that have more than a subject."""
    asked = {x.query for x in labels if x.grade == Grade.YES and x.query.subject}
    whole = sorted((x for x in asked if x.description), key=lambda x: x.id)
    return {Query(x.subject, "", x.ticket_id): {} for x in whole}


def _weak(
    model: Model,
    whole: EncodedTickets,
    ids: Collection[str],
    lacking: float,
    on_step: Callable[[], object],
) -> Iterator[Asked]:
    """Weak queries: subjects of tickets. Those asked of all tickets come first; the asking tickets
    are encoded without their subjects from then on. Then the same subjects without their
    tickets."""
    askers = {
        x.id: x
        for x in whole.get_tickets(sorted(ids)).values()
        if x.subject and (x.description or x.solution)
    }
    if whole.count_tickets() < 2 or not askers:
        return
    bare = [replace(x, subject="") for x in askers.values()]
    whole.change(bare, model.encode_tickets(bare))
    recommender = Recommender(whole, model)
    here = {Query(x.subject): {x.id: Grade.YES} for x in askers.values()}
    away: dict[Query, dict[str, Grade]] = {Query(x.subject, "", x.id): {} for x in askers.values()}
    each = min(lacking / len(askers), 1.0)
    for queries, weight in ((here, each * ANSWERED), (away, each * (1 - ANSWERED))):
        yield from _asked(recommender, queries, weight, on_step)


def _asked(
    recommender: Recommender,
    queries: Mapping[Query, Mapping[str, Grade]],
    weight: float,
    on_step: Callable[[], object],
    counted: bool = True,
) -> Iterator[Asked]:
    """Rank queries; those that find nothing are left out. With `counted`, the query itself was
    counted in the vocabulary (as a ticket or a judged query), so its words get the document
    frequencies that they would have without it, like those of a future query."""
    filters = searchable(recommender.store, list(queries))
    for query, grades in queries.items():
        on_step()
        nearest = recommender.nearest(query, filters[query.id])
        if ids := nearest.best.ids:
            found = np.array([int(grades.get(id, Grade.NO)) for id in ids])
            evidence = nearest.evidence
            if counted:
                evidence = replace(evidence, wording=evidence.wording.without_own())
            yield Asked(evidence, found, weight)


def learn(
    people: Sequence[Asked],
    subjects: Sequence[Asked],
    own: Sequence[Asked],
    everyday: Sequence[Asked],
) -> Calibration:
    """Fit the chances and the threshold from people's queries, their subjects alone, tickets' own
    subjects and everyday texts.

    What cannot be fitted stays as in GENERAL. Without judgments, that is everything except `which`:
    finding a ticket's text by its subject is harder than what people ask.
    """
    asked = [*people, *own]
    if not asked:
        return GENERAL
    found = replace(
        GENERAL,
        topic=_topic([*people, *subjects], everyday) or GENERAL.topic,
        answered=_answered(people) or GENERAL.answered,
    )
    hits = [x for x in asked if x.answered]
    shown = [x.found[:SHOWN] for x in hits]
    ranked = [x.evidence.of_which()[:SHOWN] for x in hits]
    if hits:
        which = fit_logistic(
            np.concatenate(ranked),
            np.concatenate(shown) == Grade.YES,
            np.repeat([x.weight for x in hits], [len(x) for x in shown]),
            falling=(0, 1),
            rising=(2,),  # a ticket that solved this query is far ahead of all others
        )
        if which and which.weights[0] < 0:
            found = replace(found, which=which)
    found = replace(found, possible=threshold(found, people, everyday))
    return replace(found, related=_related(found, asked) or GENERAL.related)


def _topic(asked: Sequence[Asked], everyday: Sequence[Asked]) -> Logistic | None:
    """Fit the chance that a query is about the archive; both kinds of queries have the same total
    weight. It falls with all features except the shared words."""
    if not asked:
        return None
    weights = np.array([x.weight for x in asked])
    features = np.concatenate([x.evidence.of_topic() for x in (*asked, *everyday)])
    ours = np.arange(len(features)) < len(asked)
    others = np.full(len(everyday), weights.sum() / max(len(everyday), 1))
    falling = (0, 1, 2)
    return fit_logistic(features, ours, np.append(weights, others), falling, GENERAL.topic)


def _answered(people: Sequence[Asked]) -> Logistic | None:
    """Fit the chance that a YES is among the tickets shown."""
    if not people:
        return None
    features = np.concatenate([x.evidence.of_answered() for x in people])
    weights = np.array([x.weight for x in people])
    right = np.array([x.answered for x in people])
    return fit_logistic(features, right, weights, falling=(0,), near=GENERAL.answered)


def _related(found: Calibration, asked: Sequence[Asked]) -> Logistic | None:
    """Fit the chance of a REL among tickets that are not a YES, by the logit of the chance of a
    YES."""
    logits, related, weights = [], [], []
    for one in asked:
        yes = found.chances(one.evidence).yes[:SHOWN]
        others = one.found[:SHOWN] != Grade.YES
        logits.append(np.log(yes / (1 - yes))[others])
        related.append((one.found[:SHOWN] == Grade.REL)[others])
        weights.append(np.full(others.sum(), one.weight))
    features = -np.concatenate(logits)[:, None]
    fitted = fit_logistic(features, np.concatenate(related), np.concatenate(weights), falling=(0,))
    return fitted and replace(fitted, weights=(-fitted.weights[0],))


def threshold(
    calibration: Calibration, people: Sequence[Asked], everyday: Sequence[Asked]
) -> float:
    """The chance of an answer below which nothing is promised, at most LIKELY.

    It lies between the chance that a share PROMISED of the everyday texts reach and the chance
    below which a share HIDDEN of the answers lie (see TOWARDS_ANSWERS), or at the latter if that is
    lower. The fewer answers there are, the nearer it is to that of GENERAL.
    """
    right = np.array([calibration.answer(x.evidence) for x in people if x.answered])
    wrong = np.array([calibration.answer(x.evidence) for x in everyday])
    if not len(right) or not len(wrong):
        return GENERAL.possible
    most = float(logit(np.quantile(right, HIDDEN)))
    least = float(logit(np.quantile(wrong, 1 - PROMISED)))
    own = min(most, least + TOWARDS_ANSWERS * (most - least))
    found = (len(right) * own + PRIOR_QUERIES * logit(GENERAL.possible)) / (
        len(right) + PRIOR_QUERIES
    )
    return min(float(expit(found)), LIKELY)
