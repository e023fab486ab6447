#!/usr/bin/env python3
"""Opens a model with IfcOpenShell and says what it finds, as JSON.

    ifc.py FILE

The faults that its validator names, with the rules of the schema, and for each product its class, name, storey, quantities
and the volume and bounds of its geometry, in metres, after openings were cut. For a georeferenced model its map, with east, north and
height of the model's zero and of a metre along each axis from there.
"""
import json
import sys

import ifcopenshell
import ifcopenshell.geom
import ifcopenshell.util.element
import ifcopenshell.util.geolocation
import ifcopenshell.util.shape
import ifcopenshell.validate


def main():
    model = ifcopenshell.open(sys.argv[1])
    logger = ifcopenshell.validate.json_logger()
    ifcopenshell.validate.validate(model, logger, express_rules=True)
    faults = [str(fault.get("message", fault)) for fault in logger.statements]
    settings = ifcopenshell.geom.settings()
    settings.set("use-world-coords", True)
    products = []
    for product in model.by_type("IfcProduct"):
        entry = {"class": product.is_a(), "name": product.Name}
        container = ifcopenshell.util.element.get_container(product)
        entry["container"] = container.Name if container else None
        entry["quantities"] = ifcopenshell.util.element.get_psets(product)
        if product.Representation:
            shape = ifcopenshell.geom.create_shape(settings, product)
            vertices = ifcopenshell.util.shape.get_vertices(shape.geometry)
            entry["volume"] = ifcopenshell.util.shape.get_volume(shape.geometry)
            entry["minimum"] = vertices.min(axis=0).tolist()
            entry["maximum"] = vertices.max(axis=0).tolist()
            entry["faces"] = len(ifcopenshell.util.shape.get_faces(shape.geometry))
        products.append(entry)
    maps = []
    for conversion in model.by_type("IfcMapConversion"):
        crs = conversion.TargetCRS
        places = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
        maps.append({
            "name": crs.Name, "description": crs.Description, "heights": crs.VerticalDatum,
            "unit": crs.MapUnit.Name if crs.MapUnit else None,
            "places": [list(ifcopenshell.util.geolocation.auto_xyz2enh(model, *place)) for place in places],
        })
    result = {"schema": model.schema, "faults": faults, "products": products, "maps": maps}
    json.dump(result, sys.stdout)


main()
