"""Long work outside the page: a Celery app whose tasks are small and may be lost or repeated.

The store is the truth: a job's record says how far it is, and what is left to do is
asked of the store, never of the broker. `app` makes the Celery app, `connection` reaches
its broker, `tasks` encode a batch, `jobs` start, resume and cancel, `progress` says how
far a job is, `run` is the worker process, `follow` shows a job to its end, `cli` the commands.
"""
