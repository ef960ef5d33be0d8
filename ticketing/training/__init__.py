"""Training: makes a bundle from tickets and labels. `train` runs these steps in order:

1. `corpus` reads tickets and labels as word ids, which `texts` packs in a file. `sampling` draws
   training examples, and `validation` selects the validation queries.
2. `pretraining` makes topics and `word_vectors`. Word vectors come from a file (`vector_files`),
   from the desk's own texts, or from a teacher, which reads words alone or in `contexts`.
3. `learning` trains the network: first it imitates a teacher (`distillation`), then it learns from
   labels. `losses` holds the loss functions.
4. `weight_search` or `weight_fitting` sets the weights U, V and W. Without labels, `word_share`
   sets the weight of shared words.
5. `recency_fitting` fits the weight of time (`time_weight`), and `calibration` the map from
   distances to chances, both by `logistic` regression.

`settings` holds the training settings. `encoder_tuning` fine-tunes a teacher on the desk's texts
(`ticketing tune`).
"""
