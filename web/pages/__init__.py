"""The HTML pages, one blueprint per module.

- `search`, `categories`: the query form, the answer, and proposed categories.
- `first_steps`: shown instead of the form until the desk can answer.
- `history`, `judging`, `topics`, `quality`: past queries, rounds of judging, topics, quality of
  answers.
- `models`, `jobs`, `schedule`: bundles, jobs and the schedule.
- `people`, `account`, `openid`: accounts, signing in and out, sign-in with OpenID Connect.
- `health`: for monitoring.
- `forms`, `tables`, `exports`: validation of input, lists as CSV or by page, and exported tables.
"""
