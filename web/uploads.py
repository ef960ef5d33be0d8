"""Uploaded files: endpoints that take them, and their size limit."""

UPLOAD_LIMIT = 64 * 2**20
"""Maximum bytes of an uploaded file; compressed, these are a few hundred thousand tickets."""

FILE_TYPE = "application/octet-stream"
"""Content type of a file that is the whole body; no form of another site can send it."""

FILE_IS_BODY = frozenset({"job_api.import_"})
"""Endpoints that take a file as the body."""

TAKE_FILES = FILE_IS_BODY | {"jobs.import_"}
"""Endpoints that take files."""

IMPORT_PATHS = frozenset({"/api/imports", "/jobs/import"})
"""Their paths, for code that has only a request's headers."""


def too_large_a_file() -> str:
    """The message for a file that exceeds UPLOAD_LIMIT."""
    return (
        f"The file is larger than the {UPLOAD_LIMIT // 2**20} MB that can be sent; split it,"
        " compress it (.gz), or run `ticketing import` on the server."
    )
