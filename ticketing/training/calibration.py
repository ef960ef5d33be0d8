"""The chances that distances stand for, learned once the network is.

The whole archive is asked, by the scan that will serve. What people asked and judged counts one
query each, and what nobody judged counts as NO there. A tenth as much counts the same query with
its right tickets taken away, which has no answer. Everyday texts (`off_topic.toml`) are what no
archive is about; the queries are, also by their subjects alone, since people do not always write
more. What few queries say is held near what other desks have taught, and where nobody judged, that
is all there is. Which ticket it is, tickets show too that ask their own subject of the others, with
the rest of their own text among them and without it: together they count as the judged queries that
lack to make FEW.
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
"""Tickets by whose distances those of a query are understood."""

UNANSWERED = 0.1
"""What a query counts whose right tickets were taken away."""

FEW = 30
"""Judged queries from which on weak ones count nothing."""

ANSWERED = 0.7
"""The part of weak queries' weight that is those whose answer is there."""

MOST_WEAK = 200

PROMISED, HIDDEN = 0.03, 0.1
"""Shares of everyday texts that are promised something, and of answers that are hidden,
between which the threshold lies."""

TOWARDS_ANSWERS = 0.4
"""How far it lies from the everyday texts to the answers, in log odds. Nearer to the answers, too
many queries of a few words would be told that nothing matches well."""

PRIOR_QUERIES = 3
"""So many judged queries say as much of the threshold as other desks do."""


@dataclass(frozen=True)
class Asked:
    """What is known of a query's nearest tickets, their grades (`found`), and what it counts."""

    evidence: Evidence
    found: npt.NDArray[np.int64]
    weight: float

    @property
    def answered(self) -> bool:
        """Whether a YES is among those shown."""
        return bool((self.found[:SHOWN] == Grade.YES).any())


def calibrate(
    model: Model,
    tickets: TicketList,
    labels: Sequence[Label],
    weak: Collection[str],
    folder: Path,
    on_step: Callable[[], object],
) -> None:
    """Set the model's anchors and calibration.

    `labels` are those of validation queries; `weak` are ids of tickets that may ask. The tickets'
    codes lie in `folder` meanwhile, see `encoded`. `on_step` is called before each piece of the
    archive and each query, and what it raises ends the work.
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
    """MOST_WEAK tickets that may ask, where none is kept from training."""
    return random.Random(seed).sample(sorted(ids), min(len(ids), MOST_WEAK))


def off_topic() -> list[str]:
    """Everyday texts."""
    text = files("ticketing.training").joinpath("off_topic.toml").read_text(encoding="utf-8")
    found: list[str] = tomllib.loads(text)["texts"]
    return found


def _judged(
    recommender: Recommender, labels: Sequence[Label], on_step: Callable[[], object]
) -> Iterator[Asked]:
    """The queries that have a YES, each also without its right tickets."""
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
    """What people asked, by its subject alone, where that is not all."""
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
    """Subjects asked of all tickets, those that ask without their subject, which is how they are
    encoded from now on; and of the others."""
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
    """Those of the queries that find anything. The words of a query that the vocabulary has
    `counted`, as a ticket or as what somebody judged, are as rare as they were without it: what
    people will ask is not counted either."""
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
    """Chances and the threshold from people's queries, their subjects alone, tickets' own and
    everyday texts.

    What cannot be learned stays as it is in general, as does all but the chance that it is this
    ticket where nobody judged: a ticket's subject without the ticket's own is harder to answer than
    what people ask.
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
            rising=(2,),  # a ticket that solved the very query leaves all others far behind
        )
        if which and which.weights[0] < 0:
            found = replace(found, which=which)
    found = replace(found, possible=threshold(found, people, everyday))
    return replace(found, related=_related(found, asked) or GENERAL.related)


def _topic(asked: Sequence[Asked], everyday: Sequence[Asked]) -> Logistic | None:
    """The chance that a query is about the archive; both kinds count alike. It falls with all
    that is known but what is shared."""
    if not asked:
        return None
    weights = np.array([x.weight for x in asked])
    features = np.concatenate([x.evidence.of_topic() for x in (*asked, *everyday)])
    ours = np.arange(len(features)) < len(asked)
    others = np.full(len(everyday), weights.sum() / max(len(everyday), 1))
    falling = (0, 1, 2)
    return fit_logistic(features, ours, np.append(weights, others), falling, GENERAL.topic)


def _answered(people: Sequence[Asked]) -> Logistic | None:
    """The chance that a YES is among those shown."""
    if not people:
        return None
    features = np.concatenate([x.evidence.of_answered() for x in people])
    weights = np.array([x.weight for x in people])
    right = np.array([x.answered for x in people])
    return fit_logistic(features, right, weights, falling=(0,), near=GENERAL.answered)


def _related(found: Calibration, asked: Sequence[Asked]) -> Logistic | None:
    """The chance of a REL among what is no YES, by the logit of the chance of a YES."""
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

    It lies between the chance that PROMISED of the everyday texts reach and the one below which
    HIDDEN of the answers lie, see TOWARDS_ANSWERS, or at the latter where that is lower; and the
    nearer to that of GENERAL, the fewer answers there are.
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
