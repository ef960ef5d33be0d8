"""The sizes of all encoders; a bundle keeps them with its network's settings."""

from pydantic import BaseModel, ConfigDict, Field

from ticketing.nn.settings import WIDEST, Pooling


class EncoderSettings(BaseModel):
    """How wide each encoder's vectors are, and what it reads."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hidden: int = Field(50, gt=0, le=WIDEST, description="dimensions of the vector h")
    pooling: Pooling = Field(
        "mean", description="which states of the LSTM give h; the paper takes the last"
    )
    word_dims: int = Field(300, gt=0, le=WIDEST, description="dimensions of a word vector")
    character_dims: int = Field(
        50,
        gt=0,
        le=WIDEST,
        multiple_of=2,
        description="dimensions of the vector of a word's spelling",
    )
    whole_share: float = Field(
        0.5,
        ge=0,
        le=1,
        description="share of the vector of subject and description together in E's vector "
        "of either one",
    )
    repeats: float = Field(
        0.5,
        ge=0,
        le=1,
        description="a word that occurs n times in a text counts n to the power of this in E",
    )
    topics: int = Field(
        100, gt=0, le=WIDEST, description="number of topics: the dimensions of the vector T"
    )
    sentence_dims: int = Field(
        384,
        gt=0,
        le=WIDEST,
        description="dimensions of the vector S: those of the sentence encoder's vectors",
    )
    max_words: int = Field(
        96, gt=0, le=100_000, description="most words of a component that the LSTM reads"
    )
