"""A linear layer in two halves, against torch's own."""

import pytest
import torch
import torch.nn.functional as F

from ticketing.nn.linear import linear


@pytest.mark.parametrize("rows", [1, 7])
def test_products_and_gradients_are_those_of_torch(rows):
    torch.manual_seed(0)
    parts = [torch.randn(*shape, requires_grad=True) for shape in ((rows, 5), (3, 5), (3,))]
    pulled = torch.randn(rows, 3)
    mine, theirs = linear(*parts), F.linear(*parts)
    torch.testing.assert_close(mine, theirs)
    found = torch.autograd.grad((mine * pulled).sum(), parts)
    expected = torch.autograd.grad((theirs * pulled).sum(), parts)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)
