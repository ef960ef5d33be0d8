"""What serves: a trained network and all that a query needs of it.

`settings` say which channels and components a network has, and `components` reads texts as these.
`inference.Model` turns texts into codes, whose bytes `layout` places and `projection` cuts down to
one vector. `recency` adds the time between two texts. `rescoring` moves the nearest tickets by what
`wording` and distances say of them. `calibration` makes chances of distances.

`saving` says what a bundle keeps of a model, `bundle` how it lies on disk, `registry` holds all
bundles.
"""
