package import MeshpipeBase

extension BuildingMeasures {
  /// The measures for reports and files, in metres: a dimension has its `value` and its `uncertainty`, or is `assumed`.
  package var json: JSONValue {
    [
      "floorArea": floorArea.json(digits: 4), "volume": volume.json(digits: 4),
      "storeys": JSONValue(.array(storeys.map(\.json))),
    ]
  }
}

extension BuildingMeasures.Storey {
  fileprivate var json: JSONValue {
    [
      "name": JSONValue(.string(name)), "elevation": elevation.json(digits: 4),
      "height": height.json,
      "floorArea": floorArea.json(digits: 4), "rooms": JSONValue(.array(rooms.map(\.json))),
      "walls": JSONValue(.array(walls.map(\.json))),
      "openings": JSONValue(.array(openings.map(\.json))),
    ]
  }
}

extension BuildingMeasures.Room {
  fileprivate var json: JSONValue {
    [
      "name": JSONValue(.string(name)), "area": area.json, "perimeter": perimeter.json(digits: 4),
      "height": height.json, "volume": volume.json(digits: 4),
    ]
  }
}

extension BuildingMeasures.Wall {
  fileprivate var json: JSONValue {
    [
      "name": JSONValue(.string(name)), "length": length.json, "height": height.json,
      "thickness": thickness.json, "grossArea": grossArea.json(digits: 4),
      "area": area.json(digits: 4), "volume": volume.json(digits: 4),
    ]
  }
}

extension BuildingMeasures.Opening {
  fileprivate var json: JSONValue {
    [
      "name": JSONValue(.string(name)), "kind": JSONValue(.string(kind.rawValue)),
      "wall": JSONValue(.string(wall)), "width": width.json,
      "height": height.json, "sill": sill.json, "area": area.json(digits: 4),
    ]
  }
}

extension Building.Dimension {
  /// With tenths of a millimetre.
  fileprivate var json: JSONValue {
    let value = value.json(digits: 4)
    guard let uncertainty else { return ["value": value, "assumed": true] }
    return ["value": value, "uncertainty": uncertainty.json(digits: 4)]
  }
}
