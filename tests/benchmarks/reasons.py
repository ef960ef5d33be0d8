"""What an answer is explained with, and what that takes: `TICKETING_HOME=… python -m
tests.benchmarks.reasons [queries] [since] [before]`.

Asks a desk the texts of its own tickets (created in that span, as 2012-01-01), drawn by chance and
each without its own ticket. Prints milliseconds with and without the explanation, how much there
is to name, fifty alignments drawn by chance to be read and counted by a person, and how often a
slip made in a known word is asked about.
"""

import random
import time
from datetime import datetime

import numpy as np
import torch

from tests.benchmarks.arguments import arguments
from ticketing.desk import open_desk
from ticketing.retrieval.explain import Explainer
from ticketing.retrieval.match import Match
from ticketing.retrieval.spelling import Corrector
from ticketing.settings import load_settings
from ticketing.text.telling import TellingWords
from ticketing.text.vocabulary import Vocabulary
from ticketing.tickets import Filters, Query

SEED = 17
CODE = np.zeros(0, np.uint8)
"""Of a match whose sentences alone are read."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def main() -> None:
    """Print all of it."""
    given = arguments(__doc__, queries=150, since="0001-01-01", before="9999-12-31")
    count = given.queries
    since, before = map(datetime.fromisoformat, (given.since, given.before))
    torch.set_num_threads(1)
    chance = random.Random(SEED)
    desk = open_desk(load_settings())
    recommender = desk.recommender()
    spans = Filters(created_since=since, created_before=before)
    tickets = [t for t in desk.store.iter_tickets(spans) if t.subject and t.description]
    chosen = chance.sample(tickets, min(count, len(tickets)))
    queries = [Query(t.subject, t.description, t.id) for t in chosen]
    for query in queries[:10]:
        recommender.recommend(query)
    took = {"whole answer": [], "ranking alone": []}
    answers = []
    for query in queries:
        start = time.perf_counter()
        answers.append(recommender.recommend(query))
        middle = time.perf_counter()
        recommender.rank(query)
        took["whole answer"].append(middle - start)
        took["ranking alone"].append(time.perf_counter() - middle)
    print(f"{answers[0].searched} tickets, {len(queries)} queries")
    for name, seconds in took.items():
        median, tail = np.quantile(seconds, [0.5, 0.95]) * 1000
        print(f"{name:16} {median:7.1f} ms, 95th percentile {tail:7.1f} ms")
    _answering(recommender.model, answers)
    _named(answers, chance)
    _slips(recommender.model.vocabulary, chance)


def _answering(model, answers) -> None:
    explainer = Explainer(model, TellingWords(model.vocabulary))
    taken = []
    for answer in answers:
        matches = [
            Match(one.rank, one.ticket, CODE, one.distance, one.chance, one.chance_related)
            for one in answer.items
        ]
        start = time.perf_counter()
        explainer.answers.answers(answer.query, matches)
        taken.append(time.perf_counter() - start)
    median, tail = np.quantile(taken, [0.5, 0.95]) * 1000
    print(f"answering sentences of ten: {median:.1f} ms, 95th percentile {tail:.1f} ms")


def _named(answers, chance: random.Random) -> None:
    items = [item for answer in answers for item in answer.items]
    folded = sum(len(item.like) for item in items)
    pairs = [pair for item in items for pair in item.reason.alike]
    shared = sum(bool(item.reason.shared) for item in items) / len(items)
    silent = sum(not (item.reason.shared or item.reason.alike) for item in items) / len(items)
    print(
        f"{len(items)} rows, {folded} folded; words shared in {shared:.1%}, nothing to name in "
        f"{silent:.1%}; {len(pairs)} alignments"
    )
    for pair in chance.sample(pairs, min(50, len(pairs))):
        print(f"  {pair.query_word} ~ {pair.ticket_word} {pair.similarity:.2f}")


def _slips(vocabulary: Vocabulary, chance: random.Random) -> None:
    corrector, telling = Corrector(vocabulary), TellingWords(vocabulary)
    words = [w for w in vocabulary.words if w.isalpha() and len(w) >= 5 and telling.weight(w)]
    counts = [vocabulary.share(word) for word in words]
    made = [(word, _slip(word, chance)) for word in chance.choices(words, counts, k=1000)]
    made = [(word, slip) for word, slip in made if slip not in vocabulary]
    found = [(word, corrector.best(slip)) for word, slip in made]
    right = sum(word == best for word, best in found) / len(found)
    none = sum(not best for _, best in found) / len(found)
    print(
        f"{len(found)} slips in words drawn by use: {right:.1%} right, {none:.1%} not asked about"
    )


def _slip(word: str, chance: random.Random) -> str:
    """The word with a letter left out, added, swapped with the next, or mistaken."""
    i, letter = chance.randrange(1, len(word) - 1), chance.choice(LETTERS)
    left_out, swapped = word[:i] + word[i + 1 :], word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    added, mistaken = word[:i] + letter + word[i:], word[:i] + letter + word[i + 1 :]
    return chance.choice([left_out, swapped, added, mistaken])


if __name__ == "__main__":
    main()
