"""The JSON API: `routes` for answers, judgments, tickets, topics and jobs, `work` for working
together; `docs` describes all of it to people."""
