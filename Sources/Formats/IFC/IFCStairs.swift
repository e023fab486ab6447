import MeshPipeline

/// Writes stairs: an IfcStair of flights, and of slabs as landings.
struct IFCStairs {
  private let stair: Building.Stair
  private let path: String
  private let placement: StepReference

  /// Writes stairs with all their parts.
  ///
  /// - Parameters:
  ///   - path: What identifiers begin with.
  ///   - placement: Of the storey.
  /// - Returns: The stairs; nil if no step has a height.
  static func write(
    _ stair: Building.Stair, name: String, path: String, in placement: StepReference,
    to model: inout IFCModel
  ) throws -> StepReference? {
    let place = try model.localPlacement(in: placement)
    let writer = IFCStairs(stair: stair, path: path, placement: place)
    let runs = writer.runs
    guard !runs.isEmpty else { return nil }
    let reference = try model.add(
      "IFCSTAIR", model.identifier(path), .none, .text(name), .none, .none, .instance(place),
      .none, .none, .symbol(writer.type(of: runs)))
    var parts: [StepReference] = []
    for (number, run) in runs.enumerated() {
      let own = runs.count == 1 ? name : "\(name).\(number + 1)"
      parts.append(try writer.write(run, name: own, isLast: number + 1 == runs.count, to: &model))
    }
    try model.aggregate(parts, into: reference)
    return reference
  }

  /// Landings and the steps of flights between them.
  private var runs: [Range<Int>] {
    var result: [Range<Int>] = []
    for step in stair.steps.indices
    where stair.heights.indices.contains(step) && stair.heights[step] > stair.base {
      if let last = result.last, last.upperBound == step, !isLanding(step), !isLanding(step - 1) {
        result[result.count - 1] = last.lowerBound..<step + 1
      } else {
        result.append(step..<step + 1)
      }
    }
    return result
  }

  /// The kind of stairs, by the turn from the first flight to the second.
  private func type(of runs: [Range<Int>]) -> String {
    let flights = runs.filter { !isLanding($0.lowerBound) }
    guard flights.count > 1 else { return "STRAIGHT_RUN_STAIR" }
    guard flights.count == 2, runs.count == 3, flights.allSatisfy({ $0.count > 1 }) else {
      return "NOTDEFINED"
    }
    let ways = flights.map { flight -> SIMD2<Double> in
      let ends = [flight.lowerBound, flight.upperBound - 1].map { step in
        stair.steps[step].reduce(.zero, +) / Double(max(stair.steps[step].count, 1))
      }
      return (ends[1] - ends[0]).normalized
    }
    let cosine = ways[0].dot(ways[1])
    return cosine > 0.7
      ? "TWO_STRAIGHT_RUN_STAIR" : cosine < -0.7 ? "HALF_TURN_STAIR" : "QUARTER_TURN_STAIR"
  }

  private func isLanding(_ step: Int) -> Bool { stair.landings.contains(step) }

  private func write(
    _ run: Range<Int>, name: String, isLast: Bool, to model: inout IFCModel
  ) throws -> StepReference {
    let solids = try run.map { step in
      try model.extrusion(
        of: [stair.steps[step]], from: stair.base, by: stair.heights[step] - stair.base,
        style: "stairs")
    }
    let place = try model.localPlacement(in: placement)
    let shape = try model.shape(solids, "SweptSolid")
    let identifier = model.identifier("\(path)/\(name)")
    if isLanding(run.lowerBound) {
      return try model.add(
        "IFCSLAB", identifier, .none, .text(name), .none, .none, .instance(place),
        .instance(shape), .none, .symbol("LANDING"))
    }
    // The last flight goes up to a floor, which is not a step, and others to a landing.
    let more = isLast ? max(stair.riserCount - stair.steps.count, 0) : 1
    return try model.add(
      "IFCSTAIRFLIGHT", identifier, .none, .text(name), .none, .none, .instance(place),
      .instance(shape), .none, .integer(run.count + more), .integer(run.count),
      Self.length(stair.rise), Self.length(stair.going), .symbol("STRAIGHT"))
  }

  private static func length(_ dimension: Building.Dimension?) -> StepValue {
    dimension.map { .real($0.value) } ?? .none
  }
}
