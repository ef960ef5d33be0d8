"""The category classifier: a free-text subject finds the desk's category (Neculoiu et al. 2016).

    taxonomy  ──►  pairs  ──► training ──► classifier ──► desk.categories ──► the page
    titles and     sampled    (network,    nearest        the one that        YES or NO
    their groups   by stage   objective)   title          serves                 │
                     ▲                                                           ▼
                     └──────────── labels ◄──────────────── verdicts in the store

`augmentation` and `synonyms` make a stage's variants, `trials` and `matchers` measure what a
training gives, `fit` is the whole of it for a desk.
"""
