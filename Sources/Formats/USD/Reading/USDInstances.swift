import MeshPipeline

/// The prims that a `PointInstancer` repeats, and the transform of each.
///
/// An instance is scaled, turned and moved, in this order, after the transform of its own prim.
struct USDInstances {
  let prototypes: [USDObject]
  /// Elements of ``prototypes`` with their transforms, without those that are hidden.
  let instances: [(prototype: Int, transform: Transform)]

  /// - Returns: Nil if there are none.
  init?(_ stage: USDStage, _ prim: USDObject) throws {
    guard let property = stage.property("prototypes", of: prim),
      case .integers(let indices) = try stage.value("protoIndices", of: prim), !indices.isEmpty
    else { return nil }
    var prototypes: [USDObject] = []
    for (path, layer) in try stage.targets("targetPaths", of: property) {
      guard let prototype = try stage.prim(at: path, from: layer) else {
        throw stage.fault(prim, "the prototype \(path.text.prefix(120)) does not exist")
      }
      prototypes.append(prototype)
    }
    if let bad = indices.first(where: { $0 < 0 || Int($0) >= prototypes.count }) {
      throw stage.fault(prim, "refers to prototype \(bad), but there are \(prototypes.count)")
    }
    let primvars = USDPrimvars(stage, prim)
    func checked<Value>(_ values: [Value]?, _ name: String) throws -> [Value]? {
      guard let values, values.count < indices.count else { return values }
      throw stage.fault(
        prim, "has \(indices.count) instances, but \(values.count) values of '\(name)'")
    }
    let positions = try checked(try primvars.triples("positions"), "positions")
    let scales = try checked(try primvars.triples("scales"), "scales")
    let orientations = try checked(
      try stage.value("orientations", of: prim).flatMap { USDPrimvars.quadruples($0) },
      "orientations")
    var ids = indices.indices.map { Int32(clamping: $0) }
    if case .integers(let own) = try stage.value("ids", of: prim), own.count == ids.count {
      ids = own
    }
    var hidden: Set<Int32> = []
    if case .integers(let ids) = try stage.value("invisibleIds", of: prim) { hidden = Set(ids) }
    self.prototypes = prototypes
    instances = indices.indices.filter { !hidden.contains(ids[$0]) }.map { place in
      let transform = Transform(
        scale: scales.map { SIMD3<Double>($0[place].simd) },
        rotation: orientations.map { SIMD4<Double>($0[place]) },
        translation: positions.map { SIMD3<Double>($0[place].simd) })
      return (Int(indices[place]), transform)
    }
  }
}
