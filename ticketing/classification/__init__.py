"""The category classifier: proposes one of the desk's categories for a subject (Neculoiu et al.
2016).

    taxonomy  ──►  pairs  ──► training ──► classifier ──► desk.categories ──► the page
    titles and     sampled    (network,    nearest        the classifier      YES or NO
    their groups   by stage   objective)   title          that serves            │
                     ▲                                                           ▼
                     └──────────── labels ◄──────────────── verdicts in the store

- `taxonomy`: the titles and their groups (the categories).
- `pairs`: sampling of training pairs, stage by stage.
- `augmentation`, `synonyms`: variants of titles that a stage adds.
- `network`, `objective`, `training`: the network in torch, its loss, and its training loop.
- `encoder`: turns titles into vectors with the trained weights.
- `classifier`: the trained classifier, which finds the nearest title.
- `chance`: the probability that a proposed category is right.
- `labels`: training labels derived from verdicts.
- `trials`, `matchers`: the tests that measure a classifier, and simple baselines.
- `settings`: all settings of a training.
- `fit`: trains and measures a classifier for a desk.
- `feedback_file`: reads verdicts written before stores kept them.
"""
