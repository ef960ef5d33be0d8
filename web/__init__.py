"""The page and the JSON API on top of a Desk; nothing here ranks, stores or trains.

`app` puts together `pages` (HTML) and `api` (JSON). Both take and give what `schemas` says, `views`
turns values into what a page shows, and `addresses` makes the links. What both do alike stands in
`judging`, `jobs` and `uploads`. `context` knows the desk and the person of a request, and `outside`
whether another server answers.

Around every route stand `guard` (who may do what), `sessions` and `openid` (who it is), `throttle`
(how often), `forms` (how much), `security` and `errors`; `kept` hands back a form that could not be
done. `server` is waitress, `intake` what it takes of a request, `cli` is `ticketing serve`, and
`demo` is `ticketing demo`.
"""
