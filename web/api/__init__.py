"""The JSON API, one module for each group of operations.

- `routes`: answers, judgments, tickets and topics.
- `jobs`, `work`: jobs, models and the schedule; history and saved queries.
- `bodies`: reads request bodies.
- `access`, `statuses`: add scopes and error responses to the OpenAPI document.
- `docs`: shows that document to people.
"""
