"""The pages, a blueprint a module.

`search` asks and answers, with what `categories` proposes; `first_steps` stands in its place until
a desk can answer. `history`, `judging`, `topics` and `quality` are what came of answers. `models`,
`jobs` and `schedule` are for who trains, `people`, `account` and `openid` for who may come in.
`health` is for monitoring. `forms` checks what was typed, `tables` and `exports` give a list as CSV
or page by page.
"""
