"""What makes a bundle; `train` takes the steps in order.

1. `corpus` reads tickets and labels as word ids, packed by `texts`. `sampling` cuts examples from
   them, and `validation` keeps queries aside.
2. `pretraining` gives the network its topics and its `word_vectors`, perhaps from one of the
   `vector_files`, or as a teacher reads words alone and in `contexts`.
3. `learning` has it imitate a teacher (`distillation`), then learn from labels; `losses` say what
   an epoch makes small.
4. `weight_search` or `weight_fitting` set U, V and W; at a desk without labels `word_share` says
   what words count.
5. `recency_fitting` weighs time by `time_weight`, and `calibration` learns what chances distances
   stand for, both by `logistic` regression.

`settings` says how a network is trained. `encoder_tuning` makes a better teacher first, which is
`ticketing tune`.
"""
