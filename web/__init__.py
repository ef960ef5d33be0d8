"""The page and the JSON API on top of a Desk; nothing here ranks, stores or trains.

`app` puts together `pages` (HTML) and `api` (JSON). Both take and give what `schemas` says, and
`views` turns values into what a page shows. `context` knows the desk and the person of a request,
`security` and `errors` stand around every route.
"""
