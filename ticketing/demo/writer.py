"""Writes one ticket or one query about a fault, in the words its author knows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from random import Random

from ticketing.demo.catalogue import Catalogue, Fault
from ticketing.demo.wording import fill, misspell, sentence, shorten
from ticketing.tickets import Query

SYMPTOMS = ("operator", "alarm", "engineer")
SCREEN = ("reading",)
MEGAWATTS = {"GT-100": 45, "GT-140": 90, "GT-200": 170, "GT-250": 260, "GT-320": 330}


class Author(Enum):
    """The author of a text. For a fault that queries are about, each author has wordings of their
    own."""

    SERVICE = "the tickets of the archive"
    EARLIER = "earlier end users, whose queries are labelled"
    END_USER = "the end users of the test"


@dataclass(frozen=True)
class Vocabulary:
    """The wordings open to one author writing about one fault."""

    texts: Mapping[str, tuple[str, ...]]
    terms: Mapping[str, tuple[str, ...]]


def everything(fault: Fault, catalogue: Catalogue) -> Vocabulary:
    """All wordings of a fault.

    The term SYSTEM is the name of its assembly; the texts `history` are symptoms of other,
    preferably unrelated, faults of the assembly, which its tickets mention in passing.
    """
    beside = [f for f in catalogue.faults if f.assembly == fault.assembly and f is not fault]
    beside = [f for f in beside if f.key not in fault.related] or beside
    history = tuple(text for f in beside for text in f.texts["subjects"] + f.texts["operator"])
    return Vocabulary(
        {**fault.texts, "history": history},
        {**catalogue.terms, "SYSTEM": catalogue.systems[fault.assembly]},
    )


def deal(whole: Vocabulary, rng: Random) -> dict[Author, Vocabulary]:
    """Divide the wordings of a fault that an end user of the test asks about.

    The lists are shuffled for this fault. The end user gets the first wording of each, which the
    archive does not use for this fault. The earlier end user tells it differently, with the second
    text, though end users share terms. Alarms and readings on the screen are the same for all.
    """
    hands: dict[Author, list[dict[str, tuple[str, ...]]]] = {author: [{}, {}] for author in Author}
    for kind, lists in enumerate((whole.texts, whole.terms)):
        for name, wordings in lists.items():
            mixed = tuple(rng.sample(wordings, len(wordings)))
            shared = name in SCREEN
            hands[Author.END_USER][kind][name] = mixed if shared else mixed[:1]
            hands[Author.EARLIER][kind][name] = mixed if shared else mixed[1 - kind : 2] or mixed
            archive = mixed[2:] if len(mixed) > 3 else mixed[1:] or mixed
            hands[Author.SERVICE][kind][name] = mixed if shared else archive
    return {author: Vocabulary(*hand) for author, hand in hands.items()}


def without(vocabulary: Vocabulary, taken: Vocabulary) -> Vocabulary:
    """The vocabulary less the terms' wordings that are `taken`, unless nothing is left."""
    terms = {
        name: tuple(w for w in wordings if w not in taken.terms[name]) or wordings
        for name, wordings in vocabulary.terms.items()
    }
    return Vocabulary(vocabulary.texts, terms)


class Writer:
    """One person at one unit on one day; every method draws from `rng` alone."""

    def __init__(
        self, catalogue: Catalogue, vocabulary: Vocabulary, rng: Random, created: datetime
    ):
        self.catalogue, self.vocabulary = catalogue, vocabulary
        self.rng, self.created = rng, created
        slots = catalogue.slots
        self.product = rng.choice(slots["PRODUCT"])
        self._fixed = {
            "PRODUCT": self.product,
            "SITE": rng.choice(slots["SITE"]),
            "UNIT": rng.choice(slots["UNIT"]),
            "HOURS": f"{rng.randrange(2, 98) * 1000 + rng.randrange(1000)}",
        }
        self._hurried = rng.random() < 0.35
        self._typos = rng.choice((0.0, 0.0, 0.01, 0.03))

    def subject(self, words: Sequence[str]) -> str:
        """A title of about 4 to 6 words."""
        frame = self.rng.choice(self.catalogue.frames["subject"]["frames"])
        text = sentence(self._say(frame, BODY=self._say(self.rng.choice(words))))
        return misspell(text, self._typos / 2, self.rng)

    def description(self, words: int) -> str:
        """What happened: circumstances, symptoms in any order, readings, a question."""
        say = self._framed("description")
        kinds = [kind for kind in SYMPTOMS if self.rng.random() < 0.65] or ["operator"]
        body = [say(kind) for kind in (*kinds, "reading")]
        body += [say("history"), say("system")]
        self._pad(body, words - 16, [*SYMPTOMS, "reading", "filler", "filler"], say)
        self.rng.shuffle(body)
        text = " ".join([say("opening"), *body, say("asking")])
        if self._hurried:
            text = shorten(text, self.catalogue.shorthand, self.rng)
        return misspell(text, self._typos, self.rng)

    def solution(self, words: int, closed: bool) -> str:
        """What was found, why, what to do, and what came of it."""
        say = self._framed("solution")
        body = [say("finding"), say("cause"), say("action"), say("action")]
        if self.rng.random() < 0.7:
            body.append(say("advice"))
        body += [say("history"), say("system")]
        self._pad(body, words - 9, ["finding", "action", "filler", "filler", "filler"], say)
        text = " ".join([say("opening"), *body, say("closing" if closed else "open")])
        return misspell(text, self._typos / 3, self.rng)

    def query(self) -> Query:
        """A problem as an end user reports it: a title and some two or three sentences."""
        say = self._framed("description")
        body = [say("operator"), say("reading")]
        body += [say("system"), say("engineer" if self.rng.random() < 0.5 else "alarm")]
        body += [say("filler") for _ in range(self.rng.randrange(2))]
        self.rng.shuffle(body)
        description = " ".join([say("opening"), *body, say("asking")])
        return Query(self.subject(self.vocabulary.texts["subjects"]), description)

    def _framed(self, component: str) -> Callable[[str], str]:
        """A function that writes something of a kind inside one of the component's frames.

        It repeats neither a text nor a frame; a kind that is used up gives an empty string.
        """
        frames, texts = dict(self.catalogue.frames[component]), dict(self.vocabulary.texts)

        def say(kind: str) -> str:
            frame, text = self._take(frames, kind), self._take(texts, kind)
            if not frame or (kind in texts and not text):
                return ""
            return sentence(self._say(frame, TEXT=self._say(text)))

        return say

    def _take(self, piles: dict[str, tuple[str, ...]], kind: str) -> str:
        """Remove any text of the kind from its pile; an empty string when none is left."""
        if not (pile := piles.get(kind)):
            return ""
        at = int(self.rng.random() * len(pile))
        piles[kind] = pile[:at] + pile[at + 1 :]
        return pile[at]

    def _pad(
        self, sentences: list[str], words: int, kinds: list[str], say: Callable[[str], str]
    ) -> None:
        """Put in more sentences until about `words` are reached; each kind at most twice."""
        count = sum(len(text.split()) for text in sentences)
        more = kinds * 2
        self.rng.shuffle(more)
        while count < words and more:
            if text := say(more.pop()):
                sentences.append(text)
                count += len(text.split())

    def _say(self, text: str, **written: str) -> str:
        return fill(
            text, self.rng, lambda name: written[name] if name in written else self._value(name)
        )

    def _value(self, name: str) -> str:
        rng = self.rng
        if wordings := self.vocabulary.terms.get(name):
            return wordings[int(rng.random() * len(wordings))]
        if name in self._fixed:
            return self._fixed[name]
        if name == "MW":
            return str(int(MEGAWATTS[self.product] * (0.4 + 0.6 * rng.random())))
        if name == "TIME":
            return f"{int(rng.random() * 24):02d}:{int(rng.random() * 60):02d}"
        if name == "DATE":
            day = self.created - timedelta(days=int(rng.random() * 20))
            return f"{day.day:02d}.{day.month:02d}.{day.year}"
        return rng.choice(self.catalogue.slots["SITE" if name == "OTHER" else name])
