"""The sizes of all encoders; a bundle keeps them with its network's settings."""

from pydantic import BaseModel, ConfigDict, Field

from ticketing.nn.settings import WIDEST, Pooling


class EncoderSettings(BaseModel):
    """How wide each encoder's vectors are, and what it reads."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    hidden: int = Field(50, gt=0, le=WIDEST, description="|h|")
    pooling: Pooling = Field("mean", description="of the LSTM's states; the paper's is last")
    word_dims: int = Field(300, gt=0, le=WIDEST, description="dimensions of a word vector")
    character_dims: int = Field(
        50, gt=0, le=WIDEST, multiple_of=2, description="of a word's spelling"
    )
    whole_share: float = Field(
        0.5,
        ge=0,
        le=1,
        description="how much of what E makes of a subject or a description is of both together",
    )
    repeats: float = Field(
        0.5, ge=0, le=1, description="a word that a text has n times counts n to this power in E"
    )
    topics: int = Field(100, gt=0, le=WIDEST, description="|T|")
    sentence_dims: int = Field(
        384, gt=0, le=WIDEST, description="|S|, as wide as its encoder's vectors"
    )
    max_words: int = Field(
        96, gt=0, le=100_000, description="words of a component that the LSTM reads"
    )
