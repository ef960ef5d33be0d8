"""Files that are sent: longer bodies, for the addresses alone that take them."""

UPLOAD_LIMIT = 64 * 2**20
"""Bytes of a file that is sent; compressed, that is a few hundred thousand tickets."""

FILE_TYPE = "application/octet-stream"
"""What a file is sent as where it is the whole body: a type that no form of another site sends."""

FILE_IS_BODY = frozenset({"job_api.import_"})
"""The endpoints that take a file as the body."""

TAKE_FILES = FILE_IS_BODY | {"jobs.import_"}
"""The endpoints that take files."""

IMPORT_PATHS = frozenset({"/api/imports", "/jobs/import"})
"""Their addresses, for whoever has no more of a request than its headers."""


def too_large_a_file() -> str:
    """What is said of a file beyond UPLOAD_LIMIT."""
    return (
        f"The file is larger than the {UPLOAD_LIMIT // 2**20} MB that can be sent; split it,"
        " compress it (.gz), or run `ticketing import` on the server."
    )
