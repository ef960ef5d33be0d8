"""The JSON API: `routes` for answers, judgments, tickets and topics, `jobs` for long work, `work` for
working together.

`bodies` reads what is sent. `access` and `statuses` add to the OpenAPI document who may ask and what
may be answered, and `docs` shows that document to people.
"""
