"""The page and the JSON API on top of a `Desk`. No ranking, storing or training happens here.

- `app`: puts the Flask application together from `pages` (HTML) and `api` (JSON).
- `schemas`, `views`, `addresses`: request and response models, values prepared for display, and
  links.
- `judging`, `jobs`, `uploads`: what page and API share.
- `context`: the desk and the person of a request.
- `outside`: calls to servers of others.

Code that runs around every route:

- `guard`: permissions. `sessions` and `openid` identify the person.
- `throttle`, `forms`: limits on the number of requests and on the size of forms.
- `security`, `errors`: response headers, secret key, and errors as one sentence.
- `kept`: shows a form again that could not be processed.

`server` runs waitress and `intake` reads its requests. `cli` is `ticketing serve`, `demo` is
`ticketing demo`.
"""
