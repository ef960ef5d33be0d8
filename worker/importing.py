"""Starts an import, only once if the same person sends the same request again."""

import json
from hashlib import sha256

from celery import Celery

from ticketing.desk import Desk
from ticketing.desk.leases import held
from ticketing.errors import BrokerAway, NotReady
from ticketing.files import Json
from ticketing.jobs import Job, JobKind
from worker.jobs import start


def start_import(desk: Desk, app: Celery, arguments: Json, by: str = "") -> Job:
    """Publish an import of files; `arguments` are those of Desk.import_arguments.

    If the same person requests the same import while it runs, for example from a second tab, the
    running job is returned. Files that no job needs are deleted. Raises BrokerAway before any job
    is created, NotReady if others are starting the same import and do not finish.
    """
    same = _digest(arguments, by)
    busy = NotReady("The same import is being begun just now; look at the jobs.")
    try:
        with held(desk.whole, f"import {same}", or_raise=busy):
            job = _under_way(desk, same)
            if job:
                _let_go(desk, arguments)
            return job or start(desk, app, JobKind.IMPORT, "", arguments, by)
    except (BrokerAway, NotReady):
        _let_go(desk, arguments)
        raise


def _under_way(desk: Desk, same: str) -> Job | None:
    """The requested import if it has been started and will not be cancelled."""
    for job in desk.whole.unfinished_jobs():
        wanted = job.kind == JobKind.IMPORT and not job.cancel_requested
        if wanted and _digest(job.arguments, job.by) == same:
            return job
    return None


def _digest(arguments: Json, by: str) -> str:
    """Digest of the request and the person: of files the content counts, not their place in the
    store."""
    files = [{**file, "file": ""} for file in arguments.get("files", ())]
    said = json.dumps([arguments | {"files": files}, by], sort_keys=True)
    return sha256(said.encode()).hexdigest()


def _let_go(desk: Desk, arguments: Json) -> None:
    for file in arguments["files"]:
        desk.whole.drop_file(file["file"])
