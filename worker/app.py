"""The Celery app: how tasks travel. What they do is `worker.tasks`."""

from celery import Celery
from kombu import Exchange, Queue
from kombu.transport import TRANSPORT_ALIASES

from ticketing.errors import StoreError
from ticketing.settings import Settings

QUEUE = "ticketing"

VISIBILITY_SECONDS = 600
"""Redis hands a message out again after this long; a batch takes seconds."""


def make_app(settings: Settings) -> Celery:
    """An app that publishes to, and works on, the broker of the settings.

    Without `settings.broker` messages are files below `home/broker`. Raises StoreError
    when that folder cannot be made.
    """
    app = Celery("ticketing", set_as_current=False)
    app.conf.update(
        task_queues=[Queue(QUEUE, Exchange(""), routing_key=QUEUE)],
        task_default_queue=QUEUE,
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,  # a job's state is its record in the store
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        worker_enable_remote_control=False,
        broker_connection_retry_on_startup=True,
        worker_hijack_root_logger=False,
    )
    if settings.broker:
        app.conf.broker_url = settings.broker
        app.conf.broker_transport_options = {"visibility_timeout": VISIBILITY_SECONDS}
    else:
        TRANSPORT_ALIASES["ticketing"] = "worker.broker:Transport"
        app.conf.broker_url = "ticketing://localhost"
        app.conf.broker_transport_options = _folders(settings)
    return app


def _folders(settings: Settings) -> dict:
    messages = settings.home.resolve() / "broker"
    try:
        messages.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{messages} cannot be used: {error.strerror}.") from error
    return {
        "data_folder_in": str(messages),
        "data_folder_out": str(messages),
        "polling_interval": 0.2,  # seconds
    }
