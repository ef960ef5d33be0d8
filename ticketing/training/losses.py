"""Losses of the network."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ticketing.model.components import Components
from ticketing.networks.siamese import EncodedComponents, SiameseNetwork
from ticketing.nn.losses import in_batch_imitation, in_batch_softmax
from ticketing.tickets import Grade, Label
from ticketing.training.distillation import FAR, Teacher
from ticketing.training.sampling import Example, all_tickets


def label_error(similarities: Tensor, labels: Tensor) -> Tensor:
    """Mean squared error of g [B] against labels in [0, 1] [B] (Gupta et al., section 2.1)."""
    return F.mse_loss(similarities, labels)


class _Loss:
    """Base class: encodes a batch of examples, with some words by their spelling alone."""

    def __init__(self, network: SiameseNetwork, spelled_only: float):
        self.network = network
        self.spelled_only = spelled_only

    def encode(
        self, queries: Sequence[Components], tickets: Sequence[Components]
    ) -> tuple[EncodedComponents, EncodedComponents]:
        """Encode both sides; each word is embedded once."""
        words = torch.tensor(
            sorted({id for item in (*queries, *tickets) for x in item for id in x})
        )
        table = self.network.words(words)  # [distinct words of both, dims]

        def embed(distinct: Tensor) -> tuple[Tensor, Tensor]:
            embedded = F.embedding(torch.searchsorted(words, distinct), table)
            return self.network.embed(distinct, self.spelled_only, embedded)

        return self.network.encode(queries, embed), self.network.encode(tickets, embed)


class LabelLoss(_Loss):
    """The paper's loss: `label_error` of each example's pair."""

    def __call__(self, batch: Sequence[Example]) -> Tensor:
        """The batch's loss, a scalar."""
        distances = self.network.matched_distance(
            *self.encode([x.query for x in batch], [x.ticket for x in batch])
        )
        return label_error(torch.exp(-distances), torch.tensor([x.label for x in batch]))


class RankingLoss(_Loss):
    """Loss for few labels: find the right ticket among those of the batch and those judged NO, and
    the right query among those of the batch. REL counts less than YES."""

    def __init__(self, network: SiameseNetwork, spelled_only: float, right: Mapping[str, Set[str]]):
        super().__init__(network, spelled_only)
        self.right = right

    def __call__(self, batch: Sequence[Example]) -> Tensor:
        """The batch's loss, a scalar."""
        keys, tickets = all_tickets(batch)
        distances = self.network.crossed_distance(
            *self.encode([x.query for x in batch], tickets)
        ).clamp_max(FAR)
        weights = torch.tensor([x.label for x in batch])
        return in_batch_softmax(-distances, also_right(batch, keys, self.right), weights)


class ImitationLoss(_Loss):
    """Loss without labels: rank the texts of a batch against each other as a teacher does.

    The similarity of a text to itself is left out.
    """

    def __init__(self, network: SiameseNetwork, spelled_only: float, teacher: Teacher):
        super().__init__(network, spelled_only)
        self.teacher = teacher

    def __call__(self, batch: Sequence[Example]) -> Tensor:
        """The batch's loss, a scalar."""
        distances = self.network.crossed_distance(
            *self.encode([x.query for x in batch], [x.ticket for x in batch])
        ).clamp_max(FAR)
        itself = torch.eye(len(batch), dtype=torch.bool)
        taught = self.teacher.logits([x.ticket_key for x in batch])
        return in_batch_imitation(
            -distances.masked_fill(itself, FAR), taught.masked_fill(itself, -FAR)
        )


def also_right(
    batch: Sequence[Example], keys: Sequence[str], right: Mapping[str, Set[str]]
) -> Tensor:
    """Tickets (by their keys) that do not count as wrong for an example, bool [B, N]: those that
    answer its query according to `right` (see `right_answers`), and its own texts.

    The first B tickets are the examples' own, see `all_tickets`.
    """
    asked, rows = [x.query_key for x in batch], np.arange(len(batch))
    numbers = {key: n for n, key in enumerate(dict.fromkeys([*asked, *keys]))}
    queries = np.array([numbers[key] for key in asked])
    tickets = np.array([numbers[key] for key in keys])
    alike = np.zeros((len(batch), len(numbers)), bool)  # by number
    alike[rows, queries] = alike[rows, tickets[: len(batch)]] = True
    for row, key in enumerate(asked):
        alike[row, [numbers[id] for id in right.get(key, ()) if id in numbers]] = True
    found = alike[:, tickets]
    found[:, : len(batch)] |= queries[:, None] == queries
    return torch.from_numpy(found)


def right_answers(labels: Sequence[Label]) -> dict[str, set[str]]:
    """By query key, the ids of tickets graded YES or REL; in both directions if the query is a
    ticket."""
    right = defaultdict(set)
    for label in labels:
        if label.grade > Grade.NO:
            right[label.query.key].add(label.ticket_id)
            right[label.ticket_id].add(label.query.key)
    return dict(right)
