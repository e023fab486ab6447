#!/usr/bin/env python3
"""What laspy finds in LAS files, as a JSON list.

    laspoints.py FILE...
"""
import json
import sys

import laspy
import numpy as np


def describe(path):
    las = laspy.read(path)
    tables = [record for record in las.header.vlrs if isinstance(record, laspy.vlrs.known.ClassificationLookupVlr)]
    lookup = tables[0].lookups if tables else {}
    names = list(las.point_format.dimension_names) + ["x", "y", "z"]
    return {
        "version": str(las.header.version),
        "format": las.point_format.id,
        "scales": las.header.scales.tolist(),
        "mins": las.header.mins.tolist(),
        "maxs": las.header.maxs.tolist(),
        "lookup": {str(code): name.rstrip() for code, name in lookup.items()},
        "dimensions": {name: np.asarray(las[name], float).round(9).tolist() for name in names},
    }


print(json.dumps([describe(path) for path in sys.argv[1:]]))
