import MeshPipeline

/// The place of a model on a map: the grid that its scene's coordinates are on.
struct IFCGeoreference {
  /// `EPSG:25832`, or the name of a grid without a code.
  private let name: String
  private let title: String
  /// The code of the heights; nil if it is not known.
  private let heights: String?
  /// The length of a unit of the map in metres.
  private let unit: Double
  /// Where the model's own zero is on the map, in metres: east, north and up.
  private let origin: SIMD3<Double>

  /// Nil if the scene does not know its grid, or is no longer on it.
  init?(of scene: Scene) {
    guard let system = scene.survey?.referenceSystem, !system.isLeft,
      let name = system.code ?? system.name, !name.isEmpty,
      // A map conversion has one unit for all three axes.
      system.horizontalUnit == system.verticalUnit, system.horizontalUnit > 0
    else { return nil }
    let parts = name.split(separator: "+", maxSplits: 1).map(String.init)
    let isCode = system.code != nil
    self.name = isCode ? parts[0] : name
    heights = isCode && parts.count == 2 ? "EPSG:\(parts[1])" : nil
    title = isCode ? system.name ?? "" : ""
    unit = system.horizontalUnit
    origin = scene.origin
  }

  /// Says where the zero of a representation context is on the map, whose north is the context's y.
  func write(context: StepReference, to model: inout IFCModel) throws {
    let system = try model.add(
      "IFCPROJECTEDCRS", .text(name), .optional(title), .none, .optional(heights ?? ""), .none,
      .none, try mapUnit(in: &model).map { .instance($0) } ?? .none)
    let position = origin / unit
    _ = try model.add(
      "IFCMAPCONVERSION", .instance(context), .instance(system), .real(position.x),
      .real(position.y),
      .real(position.z), .real(1), .real(0), .real(1 / unit))
  }

  /// The unit of a map that is not in the model's own, the metre.
  private func mapUnit(in model: inout IFCModel) throws -> StepReference? {
    guard unit != 1 else { return nil }
    let meter = try model.add("IFCSIUNIT", .derived, .symbol("LENGTHUNIT"), .none, .symbol("METRE"))
    let factor = try model.add(
      "IFCMEASUREWITHUNIT", .typed("IFCLENGTHMEASURE", .real(unit)), .instance(meter))
    let exponents = try model.add(
      "IFCDIMENSIONALEXPONENTS", .integer(1), .integer(0), .integer(0), .integer(0), .integer(0),
      .integer(0), .integer(0))
    return try model.add(
      "IFCCONVERSIONBASEDUNIT", .instance(exponents), .symbol("LENGTHUNIT"),
      .text(CoordinateSystem.unitWords(ofMeters: unit)), .instance(factor))
  }
}
