"""The Celery app and its transports. Its tasks are in `worker.tasks`."""

import re
import ssl
from importlib.util import find_spec
from urllib.parse import urlsplit

from celery import Celery
from kombu import Exchange, Queue
from kombu.transport import TRANSPORT_ALIASES

from ticketing.errors import InputError, StoreError
from ticketing.redaction import masked
from ticketing.settings import Settings, load_settings
from worker.queues import QUEUE, QUEUES

TRANSPORTS = {
    "ticketing": "worker.file_broker:Transport",
    "redis": "worker.redis_broker:Transport",
    "rediss": "worker.redis_broker:Transport",
}
"""The transport for each scheme of a broker's address."""

BATCH_SECONDS = 300
"""Time limit of a batch: a process that takes longer is killed and its message sent again."""

STEP_SECONDS = 3600
"""Time limit of a comparison or a promotion."""

VISIBILITY_SECONDS = 2 * BATCH_SECONDS
"""Redis delivers a message again after this time if its worker has not acknowledged it."""

ANSWER_SECONDS = 3.0
"""Timeout for Redis to connect or answer before it counts as away."""

SILENCE_SECONDS = 10
"""A worker's connection is reopened after this long without any data."""


def make_app(settings: Settings) -> Celery:
    """An app that publishes to, and works on, the broker of the settings.

    Without `settings.broker`, messages are files below `home/broker`. Raises StoreError if that
    folder cannot be created, InputError for a broker of an unknown kind. A broker that is away is
    not an error here.
    """
    TRANSPORT_ALIASES.update(TRANSPORTS)
    app = Celery("ticketing", set_as_current=False)
    app.conf.update(
        task_queues=[Queue(name, Exchange(""), routing_key=name) for name in QUEUES],
        task_default_queue=QUEUE,
        task_serializer="json",
        accept_content=["json"],
        task_ignore_result=True,  # a job's state is its record in the store
        task_acks_late=True,
        worker_prefetch_multiplier=1,
        task_time_limit=max(1, round(3600 * settings.job_hours)),  # where a task has none itself
        worker_proc_alive_timeout=60.0,  # seconds for a fork, on a machine that is busy
        worker_enable_remote_control=bool(settings.broker),  # files carry no broadcast
        task_publish_retry_policy={"max_retries": 1, "interval_start": 0.2},  # seconds
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # a worker waits for its broker forever
        broker_channel_error_retry=True,  # also for a broker that refuses
        worker_consumer="worker.consumer:Consumer",
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
    )
    if settings.broker:
        app.conf.update(
            broker_url=_address(settings),
            broker_use_ssl=_tls(settings),
            broker_transport_options={
                "visibility_timeout": VISIBILITY_SECONDS,
                "socket_connect_timeout": ANSWER_SECONDS,
                "socket_timeout": ANSWER_SECONDS,
                "socket_keepalive": True,
                "health_check_interval": SILENCE_SECONDS,
                "max_retries": 0,
                "unacked_restore_throttle": 1,  # checked every 10 s, not every 100 s
            },
        )
    else:
        app.conf.update(
            broker_url="ticketing://localhost", broker_transport_options=_folders(settings)
        )
    return app


def __getattr__(name: str) -> Celery:
    """`worker.app.app` for Celery's own commands, such as `celery -A worker.app status`: the app of
    the environment's settings, created when it is accessed."""
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    app = globals()["app"] = make_app(load_settings())
    return app


def _address(settings: Settings) -> str:
    broker = settings.broker
    if urlsplit(broker).scheme not in TRANSPORTS:
        raise InputError(
            f"TICKETING_BROKER={masked(broker)!r} is of no known kind; give redis://HOST:6379/0, or"
            " leave it empty for files below TICKETING_HOME."
        )
    if not re.match(r"/?\d*(,|;|$)", urlsplit(broker).path):
        raise InputError(
            f"TICKETING_BROKER={masked(broker)!r} names no database by its number; write it as"
            " redis://HOST:6379/0."
        )
    if find_spec("redis") is None:
        raise InputError(
            "TICKETING_BROKER names a Redis server, and its client is not installed; run"
            " `pip install '.[servers]'` in the checkout."
        )
    return settings.broker_address


def _tls(settings: Settings) -> dict[str, object] | bool:
    """TLS settings: the server must present a certificate of its name, signed by a known authority.
    kombu by default accepts any."""
    if urlsplit(settings.broker).scheme != "rediss":
        return False
    if settings.broker_ca and not settings.broker_ca.is_file():
        raise InputError(f"TICKETING_BROKER_CA={settings.broker_ca} is no file; correct it.")
    authority = settings.broker_ca and str(settings.broker_ca)
    return {
        "ssl_cert_reqs": ssl.CERT_REQUIRED,
        "ssl_check_hostname": True,
        "ssl_ca_certs": authority,
    }


def _folders(settings: Settings) -> dict[str, str | float]:
    messages = settings.home.resolve() / "broker"
    try:
        messages.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{messages} cannot be used: {error.strerror}.") from error
    return {
        "data_folder_in": str(messages),
        "data_folder_out": str(messages),
        "polling_interval": 0.05,  # seconds
    }
