"""What makes a bundle; `train` takes the steps in order.

`corpus` reads tickets and labels as word ids, `sampling` cuts examples from them and `validation`
keeps queries aside. `pretraining` gives the network its words and topics, `distillation` has it
imitate a teacher, `losses` say what an epoch makes small. At the end `weight_search` or
`weight_fitting` set V and W, and `calibration` learns what distances say.
"""
