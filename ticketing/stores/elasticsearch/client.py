"""Opens the Elasticsearch client: credentials, certificates and timeouts."""

import logging
import ssl
from collections.abc import Sequence

from elasticsearch import Elasticsearch

from ticketing.errors import InputError
from ticketing.files import Json
from ticketing.redaction import masked
from ticketing.settings import Settings


def opened_client(hosts: Sequence[str], settings: Settings) -> Elasticsearch:
    """A client for the nodes of one cluster; no request is sent yet.

    Raises InputError for settings that do not fit together, or a certificate that cannot be read.
    """
    if "@" in settings.store:
        raise InputError(
            "TICKETING_STORE cannot be used with a user in it; set TICKETING_STORE_USER and"
            " TICKETING_STORE_PASSWORD instead."
        )
    # It logs every retry with a traceback; what matters is raised.
    logging.getLogger("elastic_transport").setLevel(logging.ERROR)
    password = settings.store_password.get_secret_value()
    api_key = settings.store_api_key.get_secret_value()
    if bool(settings.store_user) != bool(password):
        raise InputError("Set TICKETING_STORE_USER and TICKETING_STORE_PASSWORD, both or neither.")
    if password and api_key:
        raise InputError("Set TICKETING_STORE_PASSWORD or TICKETING_STORE_API_KEY, not both.")
    options: Json = {}
    if password:
        options["basic_auth"] = settings.store_user, password
    if api_key:
        options["api_key"] = api_key
    if settings.store_ca:
        try:
            options["ssl_context"] = ssl.create_default_context(cafile=settings.store_ca)
        except OSError as error:  # ssl.SSLError is an OSError too
            raise InputError(
                f"TICKETING_STORE_CA={settings.store_ca} is no file of a certificate: {error}."
            ) from None
    try:
        return Elasticsearch(
            hosts,
            request_timeout=settings.store_timeout,
            max_retries=max(len(hosts) - 1, 1),  # a connection may have gone stale meanwhile
            retry_on_timeout=len(hosts) > 1,
            **options,
        )
    except (ValueError, OSError) as error:
        text = f"TICKETING_STORE={settings.store!r} cannot be used: {str(error).rstrip('.')}."
        raise InputError(masked(text)) from None
