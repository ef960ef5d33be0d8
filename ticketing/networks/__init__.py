"""What is trained, in torch: the Siamese network of a model, and its encoders as they learn.

`siamese` encodes components and compares them by `metric` (equation 1), whose distances `manhattan`
and `terms` compute. Its channels (`channels` says what one is) are those of `ticketing.encoders`:
`lstm` and `sumemb` learn and have a network here, over `words` and their `spelling`; the others are
`fixed`, the very encoders that serve. Once trained, all of it is arrays, and `making.model_of`
makes of them the model that serves: what is validated, measured and promoted is what that one
encodes.
"""
