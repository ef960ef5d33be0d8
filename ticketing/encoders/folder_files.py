"""The files of a sentence-transformers folder that determine its vectors."""

from pathlib import Path

from ticketing.files import content_digest

SAYS_NOTHING = {".h5", ".md", ".onnx", ".pyc"}
"""Suffixes of files that do not affect vectors: documentation, and weights for other libraries."""


def file_digests(folder: Path) -> dict[str, str]:
    """SHA-256 in hex of each file that affects vectors (weights, tokenizer, pooling, lengths and
    others), ordered by name. Hidden files are ignored."""
    names = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    kept = (
        name
        for name in names
        if name.suffix not in SAYS_NOTHING and not any(part.startswith(".") for part in name.parts)
    )
    return {name.as_posix(): content_digest(folder / name) for name in sorted(kept)}
