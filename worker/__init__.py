"""Background work with Celery: encoding, training, evaluation, import and the schedule.

Messages may be lost or delivered twice. The store alone knows how far a job is and what is left to
do; the broker does not.

Jobs:

- `jobs`, `importing`: start, resume, cancel and retry jobs; start an import only once.
- `publishing`, `tasks`: send the messages of a job, and encode one batch of tickets.
- `promoting`, `long_work`: compare and promote a bundle; train, evaluate and import.
- `progress`, `follow`: how far a job is, and a command that follows a job to its end.
- `cli`: the commands.

Messages:

- `app`, `queues`: the Celery app and the names of its queues.
- `connection`: connects to the broker. `file_broker` needs no server, `redis_broker` uses Redis.
- `consumer`, `discarding`: handle outages and drop messages that are not the program's own.

Processes: `supervisor` is `ticketing work`. It starts:

- `run`: one Celery worker per queue. Its child process does the tasks in its `workplace`.
- `watch`: resumes jobs that were left behind.
- `beat`: starts trainings when the schedule says so.

Shared by these processes:

- `working`, `handing_back`: what every task does before and after its work; a task whose bundle is
  missing here goes back to the broker.
- `ending`, `outage`, `tries`, `presence`: the request to end, outages in the log, messages whose
  work killed its process, and signs of life.
"""
