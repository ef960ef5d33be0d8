"""The queues: short work never waits behind long work."""

QUEUE = "ticketing"
"""Encoding, and other work that ends within `worker.app.BATCH_SECONDS`."""

LONG_QUEUE = "ticketing.long"
"""Training, evaluation and import; one message for the whole job."""

QUEUES = QUEUE, LONG_QUEUE
