import MeshPipeline

/// The prims that a `PointInstancer` repeats, and the transform of each.
///
/// An instance is scaled, turned and moved, in this order, after the transform of its own prim.
struct USDInstances {
  private let prototypes: [USDObject]
  /// Elements of ``prototypes``.
  private let indices: [Int32]
  private let positions: [Vector3]?
  private let scales: [Vector3]?
  private let orientations: [SIMD4<Float>]?
  /// By their places, if they have no ids of their own.
  private var ids: [Int32]?
  private var hidden: Set<Int32> = []

  /// The number of instances, hidden ones included.
  var count: Int { indices.count }

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
    self.prototypes = prototypes
    self.indices = indices
    positions = try checked(try primvars.triples("positions"), "positions")
    scales = try checked(try primvars.triples("scales"), "scales")
    orientations = try checked(
      try stage.value("orientations", of: prim).flatMap { USDPrimvars.quadruples($0) },
      "orientations")
    if case .integers(let own) = try stage.value("ids", of: prim), own.count == indices.count {
      ids = own
    }
    if case .integers(let ids) = try stage.value("invisibleIds", of: prim) { hidden = Set(ids) }
  }

  /// The prim of an instance and its transform; nil if it is hidden.
  func instance(_ place: Int) -> (prototype: USDObject, transform: Transform)? {
    guard !hidden.contains(ids?[place] ?? Int32(clamping: place)) else { return nil }
    let transform = Transform(
      scale: scales.map { SIMD3<Double>($0[place].simd) },
      rotation: orientations.map { SIMD4<Double>($0[place]) },
      translation: positions.map { SIMD3<Double>($0[place].simd) })
    return (prototypes[Int(indices[place])], transform)
  }
}
