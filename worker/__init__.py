"""Long work outside the page: a Celery app whose tasks are small and may be lost or repeated.

The store is the truth: a job's record says how far it is, and what is left to do is asked of the
store, never of the broker. `app` makes the Celery app, `queues` names where messages wait,
`connection` reaches the broker: `file_broker` without a server, or `redis_broker`. `jobs` start,
resume, cancel and retry, `importing` begins an import once, `publishing` sends what is left of one;
`tasks` encode a batch, `promoting` compares and promotes, `long_work` trains, measures and imports;
`progress` says how far a job is, `follow` shows a job to its end, `cli` are the commands.

`supervisor` is `ticketing work`: it forks a Celery worker for each queue (`run`), whose child does
the tasks in its `workplace`, the `watch`, which resumes jobs left behind, and the `beat`, which
trains when the schedule says so. `working` and `handing_back` are what tasks do around their work;
`ending`, `outage` and `tries` are what these processes know of each other; `presence` tells others
that they live; `consumer` and `discarding` deal with messages that are none.
"""
