"""Where work waits: what takes seconds never waits behind what takes hours."""

QUEUE = "ticketing"
"""Encoding, and whatever else ends within `worker.app.BATCH_SECONDS`."""

LONG_QUEUE = "ticketing.long"
"""Training, evaluation and import, each one message for the whole job."""

QUEUES = QUEUE, LONG_QUEUE
