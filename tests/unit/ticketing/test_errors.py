"""Findings of pydantic in words for people."""

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ticketing.errors import first_invalid


class Given(BaseModel):
    model_config = ConfigDict(extra="forbid")

    size: int = Field(1, ge=1, le=50)
    share: float = 0.5
    name: str = Field("", max_length=80)
    words: list[str] = []
    kept: bool = False
    filters: dict[str, str] = {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"size": "abc"}, "give a whole number"),
        ({"size": 1.5}, "give a whole number"),
        ({"size": 0}, "give 1 or more"),
        ({"size": 51}, "give 50 or less"),
        ({"share": "much"}, "give a number"),
        ({"name": 7}, "give a text"),
        ({"name": "a\ud800"}, "this holds half a character; remove it"),
        ({"name": "x" * 81}, "give 80 characters or fewer"),
        ({"words": "x"}, 'give a list, such as ["a", "b"]'),
        ({"kept": "perhaps"}, "give true or false"),
        ({"filters": 3}, "give an object, such as {}"),
        ({"foo": 1}, "nothing here is called that"),
    ],
)
def test_the_validator_s_own_words_are_not_shown(given, said):
    with pytest.raises(ValidationError) as caught:
        Given.model_validate(given)
    [name] = given
    assert first_invalid(caught.value) == (name, given[name], said)
