"""What serves: a trained network and all that a query needs of it.

`settings` say which channels and components a network has, `recency` adds the time between two
texts. `inference.Model` turns texts into codes, whose bytes `layout` places and `projection` cuts
down to one vector. `calibration` makes chances of distances, `isotonic` is the papers' map to the
1-5 scale. `bundle` says how all of it lies on disk, `registry` holds all bundles.
"""
