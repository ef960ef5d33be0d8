"""The network of DocNADE (Larochelle and Lauly 2012; Gupta et al. 2018, section 2.2).

    h_i = g(c + Σ_{k<i} W[:, v_k])        p(v) = Π_i p(v_i | h_i)

p(v_i | h_i) is one of two output layers: a softmax over the whole vocabulary, whose cost
grows with V, or a binary tree of logistic regressions, whose cost grows with log V.
iDocNADE (Gupta et al. 2019) reads the words from both sides with the same matrices and
biases of its own for each direction.

Documents are ragged throughout: their words lie end to end and nothing is padded.
"""

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import FunctionCtx
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"sigmoid": torch.sigmoid, "tanh": torch.tanh}


class FullSoftmax(nn.Module):
    """p(w | h) = softmax(b + U h) over the whole vocabulary."""

    chunk = 1024
    """Number of words whose [chunk, vocabulary] scores are held at a time; backward recomputes
    them."""

    def __init__(self, vocabulary_size: int, topics: int, directions: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocabulary_size, topics))
        self.bias = nn.Parameter(torch.zeros(directions, vocabulary_size))

    @torch.no_grad()
    def start_from(self, counts: Tensor) -> None:
        """Initialise the biases so that they alone give each word its share of `counts`
        [vocabulary], all > 0."""
        self.bias[:] = torch.log(counts / counts.sum())

    def forward(self, hidden: Tensor, words: Tensor, direction: int = 0) -> Tensor:
        """log p(words | hidden), [tokens], for hidden [tokens, topics] and words [tokens]."""
        return torch.cat(
            [
                checkpoint(_softmax, self.weight, self.bias[direction], h, w, use_reentrant=False)
                for h, w in zip(hidden.split(self.chunk), words.split(self.chunk), strict=True)
            ]
        )


def _softmax(weight: Tensor, bias: Tensor, hidden: Tensor, words: Tensor) -> Tensor:
    scores = F.linear(hidden, weight, bias)  # [chunk, vocabulary]
    return -F.cross_entropy(scores, words, reduction="none")


class BinaryTree(nn.Module):
    """p(w | h) = Π over the nodes from the root to the leaf of w of sigmoid(±(b_node + U_node h)).

    The tree is complete: nodes 1 to V-1 are inner ones, V to 2V-1 leaves, and the parent of
    node n is n // 2. Words lie on the leaves in random order. Node 0 does not exist; its row
    of the weight stays unused, and it stands in where a path is one node shorter.
    """

    leaf: Tensor
    """The leaf of each word, int64 [vocabulary]."""

    def __init__(self, vocabulary_size: int, topics: int, directions: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocabulary_size, topics))
        self.bias = nn.Parameter(torch.zeros(directions, vocabulary_size))
        self.register_buffer("leaf", vocabulary_size + torch.randperm(vocabulary_size))

    @torch.no_grad()
    def start_from(self, counts: Tensor) -> None:
        """Initialise the biases so that they alone give each word its share of `counts`
        [vocabulary], all > 0."""
        size = len(counts)
        below = counts.new_zeros(2 * size).index_copy(0, self.leaf, counts).tolist()
        for node in range(size - 1, 0, -1):
            below[node] = below[2 * node] + below[2 * node + 1]
        odds = torch.tensor(below)[2:].view(-1, 2).log()  # [size - 1, left and right]
        self.bias[:, 1:] = odds[:, 1] - odds[:, 0]

    def forward(self, hidden: Tensor, words: Tensor, direction: int = 0) -> Tensor:
        """log p(words | hidden), [tokens], for hidden [tokens, topics] and words [tokens]."""
        depth = len(self.weight).bit_length()
        above = torch.arange(depth, 0, -1)
        leaf = self.leaf[words][:, None]
        nodes = leaf >> above  # [tokens, depth], from the root down
        right = (leaf >> (above - 1)) & 1  # [tokens, depth], the turn taken at each node
        scores: Tensor = _NodeScores.apply(  # type: ignore[no-untyped-call]  # torch says nothing of apply
            hidden, self.weight, self.bias[direction], nodes
        )
        turns = F.logsigmoid(torch.where(right == 1, scores, -scores))  # [tokens, depth]
        return turns.masked_fill(nodes == 0, 0.0).sum(1)


class _NodeScores(torch.autograd.Function):
    """b_n + U_n h_t for the nodes n on the path of each word t, without gathering rows of U.

    hidden [tokens, topics], weight [nodes, topics], bias [nodes] and the paths [tokens,
    depth], ascending along each row, give scores [tokens, depth]. Both gradients of the
    products are weighted sums of few rows, which is what embedding_bag computes.
    """

    @staticmethod
    def forward(
        ctx: FunctionCtx, hidden: Tensor, weight: Tensor, bias: Tensor, paths: Tensor
    ) -> Tensor:
        ctx.save_for_backward(hidden, weight, paths)
        pattern = _rows(paths, hidden.new_zeros(paths.numel()), len(weight))
        products = torch.sparse.sampled_addmm(pattern, hidden, weight.T, beta=0.0)
        scores: Tensor = products.values().view_as(paths) + bias[paths]
        return scores

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:
        hidden, weight, paths = ctx.saved_tensors
        to_hidden = F.embedding_bag(paths, weight, mode="sum", per_sample_weights=slope)
        visits, order = paths.flatten().sort(stable=True)  # [tokens * depth], grouped by node
        to_weight = F.embedding_bag(
            order // paths.shape[1],  # the tokens that visit each node
            hidden,
            torch.searchsorted(visits, torch.arange(len(weight))),
            mode="sum",
            per_sample_weights=slope.flatten()[order],
        )
        to_bias = slope.new_zeros(len(weight)).index_add(0, paths.flatten(), slope.flatten())
        return to_hidden, to_weight, to_bias, None


def _rows(columns: Tensor, values: Tensor, width: int) -> Tensor:
    """A sparse matrix [rows, width]; row r has its values at `columns[r]`, ascending."""
    rows, each = columns.shape
    starts = torch.arange(0, rows * each + 1, each)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(
            starts, columns.flatten(), values, (rows, width), check_invariants=False
        )


OUTPUTS: dict[str, type[FullSoftmax] | type[BinaryTree]] = {"full": FullSoftmax, "tree": BinaryTree}


class Network(nn.Module):
    """W, c and an output layer. `directions` is 1 for DocNADE, 2 for iDocNADE.

    `dropout` is the share of hidden units dropped in training (`train()`).
    """

    def __init__(
        self,
        vocabulary_size: int,
        topics: int,
        output: str,
        activation: str,
        directions: int,
        dropout: float = 0.0,
    ):
        super().__init__()
        self.activation = ACTIVATIONS[activation]
        self.dropout = nn.Dropout(dropout)
        self.words = nn.Parameter(torch.empty(vocabulary_size, topics))  # W transposed
        self.bias = nn.Parameter(torch.zeros(directions, topics))  # c, one for each direction
        self.output = OUTPUTS[output](vocabulary_size, topics, directions)
        nn.init.normal_(self.words, std=0.01)
        nn.init.normal_(self.output.weight, std=0.01)

    def log_likelihood(self, words: Tensor, lengths: Tensor) -> Tensor:
        """log p(v) in nats, [documents], of documents concatenated in `words` [tokens].

        With two directions it is the mean of the two one-sided scores, as published for iDocNADE;
        this mean is not the logarithm of a joint probability.
        """
        sizes = lengths.tolist()
        embedded = F.embedding(words, self.words)  # [tokens, topics]
        sums = [document.cumsum(0) for document in embedded.split(sizes)]
        before = torch.cat(sums) - embedded  # [tokens, topics], the words before each
        contexts = [before]
        if len(self.bias) == 2:
            totals = torch.cat([s[-1:] if len(s) else s for s in sums])  # [documents, topics]
            after = totals.repeat_interleave(lengths[lengths > 0], 0) - before - embedded
            contexts.append(after)
        scores = [
            self.output(self.dropout(self.activation(bias + context)), words, direction)  # [tokens]
            for direction, (bias, context) in enumerate(zip(self.bias, contexts, strict=True))
        ]
        owners = torch.arange(len(lengths)).repeat_interleave(lengths)
        mean = torch.stack(scores).mean(0)
        return mean.new_zeros(len(lengths)).index_add(0, owners, mean)
