"""The JSON API, a module for each kind of thing that is asked for.

`routes` are answers, judgments, tickets and topics, `jobs` long work, and `work` working together.
`bodies` reads what is sent. `access` and `statuses` add to the OpenAPI document who may ask and
what may be answered, and `docs` shows that document to people.
"""
