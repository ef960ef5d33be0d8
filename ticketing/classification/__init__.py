"""The subject normaliser: a free-text subject finds the desk's category (Neculoiu et al. 2016).

    taxonomy  ──► recipe ──► training ──► model ──► normaliser ──► the page
    titles and    pairs by   (network,    nearest   one desk's     YES or NO
    their groups  stage      objective)   title     model              │
                    ▲                                                  ▼
                    └────────────── verdicts ◄───────────────────── feedback

`noise` and `synonyms` make a stage's variants. `jobtitles`, `trials`, `baselines` and `table`
measure the recipe on public job titles.
"""
