"""The category classifier: a free-text subject finds the desk's category (Neculoiu et al. 2016).

    taxonomy  ──►  pairs  ──► training ──► classifier ──► desk.categories ──► the page
    titles and     sampled    (network,    nearest        the one that        YES or NO
    their groups   by stage   objective)   title          serves                 │
                     ▲                                                           ▼
                     └──────────── labels ◄──────────────── verdicts in the store

`augmentation` and `synonyms` make a stage's variants, and `encoder` reads with what `network` has
learned. `trials` and `matchers` measure what a training gives, `chance` says how likely a proposal
is right, `settings` what a training is told, and `fit` is the whole of it for a desk.
`feedback_file` reads verdicts from before stores kept them.
"""
