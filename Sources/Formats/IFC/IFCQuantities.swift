import MeshPipeline

/// Writes the measures of elements as their base quantities, and how sure they are as a set of properties.
enum IFCQuantities {
  /// Quantities by the names of their sets in the standard.
  private enum Quantity {
    case length(String, Double)
    case area(String, Double)
    case volume(String, Double)
  }

  static func write(
    _ wall: BuildingMeasures.Wall, of element: StepReference, _ path: String,
    _ model: inout IFCModel
  ) throws {
    try write(
      "Qto_WallBaseQuantities",
      [
        .length("Length", wall.length.value), .length("Width", wall.thickness.value),
        .length("Height", wall.height.value), .area("GrossSideArea", wall.grossArea),
        .area("NetSideArea", wall.area), .volume("NetVolume", wall.volume),
      ], of: element, path, &model)
    try write(
      [("Length", wall.length), ("Width", wall.thickness), ("Height", wall.height)], of: element,
      path, &model)
  }

  static func write(
    _ room: BuildingMeasures.Room, of element: StepReference, _ path: String,
    _ model: inout IFCModel
  ) throws {
    try write(
      "Qto_SpaceBaseQuantities",
      [
        .length("Height", room.height.value), .length("NetPerimeter", room.perimeter),
        .area("NetFloorArea", room.area.value), .volume("NetVolume", room.volume),
      ], of: element, path, &model)
    try write([("Height", room.height)], of: element, path, &model)
  }

  static func write(
    _ opening: BuildingMeasures.Opening, of element: StepReference, _ path: String,
    _ model: inout IFCModel
  ) throws {
    try write(
      opening.kind == .door ? "Qto_DoorBaseQuantities" : "Qto_WindowBaseQuantities",
      [
        .length("Width", opening.width.value), .length("Height", opening.height.value),
        .area("Area", opening.area),
      ], of: element, path, &model)
    try write(
      [("Width", opening.width), ("Height", opening.height), ("Sill", opening.sill)], of: element,
      path, &model)
  }

  private static func write(
    _ set: String, _ quantities: [Quantity], of element: StepReference, _ path: String,
    _ model: inout IFCModel
  ) throws {
    var members: [StepReference] = []
    for quantity in quantities {
      let (type, name, value) =
        switch quantity {
        case .length(let name, let value): ("IFCQUANTITYLENGTH", name, value)
        case .area(let name, let value): ("IFCQUANTITYAREA", name, value)
        case .volume(let name, let value): ("IFCQUANTITYVOLUME", name, value)
        }
      members.append(try model.add(type, .text(name), .none, .none, .real(value), .none))
    }
    let reference = try model.add(
      "IFCELEMENTQUANTITY", model.identifier("\(path)/\(set)"), .none, .text(set), .none, .none,
      .instances(members))
    try model.define(element, by: reference)
  }

  /// Half of the interval that holds each dimension with 95 % probability, or that it is assumed.
  private static func write(
    _ dimensions: [(name: String, value: Building.Dimension)], of element: StepReference,
    _ path: String, _ model: inout IFCModel
  ) throws {
    var members: [StepReference] = []
    for (name, dimension) in dimensions {
      if let uncertainty = dimension.uncertainty {
        members.append(
          try model.add(
            "IFCPROPERTYSINGLEVALUE", .text("\(name)Uncertainty"), .none,
            .typed("IFCLENGTHMEASURE", .real(uncertainty)), .none))
      } else {
        members.append(
          try model.add(
            "IFCPROPERTYSINGLEVALUE", .text("\(name)Assumed"), .none,
            .typed("IFCBOOLEAN", .boolean(true)), .none))
      }
    }
    let set = try model.add(
      "IFCPROPERTYSET", model.identifier("\(path)/measurement"), .none,
      .text("Meshpipe_Measurement"), .none, .instances(members))
    try model.define(element, by: set)
  }
}
