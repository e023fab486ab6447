import MeshPipeline

/// The prims that a `PointInstancer` repeats, and the transform of each.
///
/// An instance is scaled, turned and moved, in this order, after the transform of its own prim.
struct USDInstances {
  /// A prim that is repeated.
  struct Prototype {
    var prim: USDObject
    /// From the whole stage to the prim's parent where it stands itself: what prims below count from that reset their
    /// transform.
    var base: Transform
  }

  /// Nil for those that do not exist.
  private let prototypes: [Prototype?]
  /// Elements of ``prototypes``, or beyond them.
  private let indices: [Int32]
  private let positions: [Vector3]?
  private let scales: [Vector3]?
  private let orientations: [SIMD4<Float>]?
  /// By their places, if they have no ids of their own.
  private var ids: [Int64]?
  private var hidden: Set<Int64> = []

  /// The number of instances, hidden ones included.
  var count: Int { indices.count }

  /// - Returns: Nil if there are none, or, with a warning, if their places are incomplete.
  init?(_ stage: USDStage, _ prim: USDObject) throws {
    guard let property = stage.property("prototypes", of: prim),
      case .integers(let indices) = try stage.value("protoIndices", of: prim), !indices.isEmpty
    else { return nil }
    prototypes = try stage.targets("targetPaths", of: property).map { target in
      try stage.prims(along: target).flatMap { try Self.prototype(stage, $0) }
    }
    self.indices = indices
    let primvars = USDPrimvars(stage, prim)
    positions = try primvars.triples("positions")
    scales = try primvars.triples("scales")
    orientations = try stage.value("orientations", of: prim).flatMap { USDPrimvars.quadruples($0) }
    for (name, count) in [
      ("positions", positions?.count), ("scales", scales?.count),
      ("orientations", orientations?.count),
    ] {
      guard let count, count < indices.count else { continue }
      stage.warn(
        "\(stage.place(of: prim)) is left out: it has \(indices.count) instances, but \(count) values of '\(name)'"
      )
      return nil
    }
    ids = try Self.numbers("ids", stage, prim)
    if ids?.count != indices.count { ids = nil }
    hidden = Set(try Self.numbers("invisibleIds", stage, prim) ?? [])
    hidden.formUnion(try Self.inactive(stage, prim))
    warnOfMissing(stage, prim)
    if !hidden.isEmpty, ids?.contains(where: { $0.magnitude >= 1 << 53 }) == true {
      stage.warn(
        """
        \(stage.place(of: prim)): ids above \(1 << 53) are rounded, so that instances may be hidden or shown that should not be
        """)
    }
  }

  private static func prototype(
    _ stage: USDStage, _ prims: [USDObject]
  ) throws -> Prototype? {
    guard let prim = prims.last, prims.count > 1 else { return nil }
    if try stage.transform(of: prim).resets { return Prototype(prim: prim, base: .identity) }
    var base = Transform.identity
    for outer in prims.dropFirst().dropLast() {
      let (local, resets) = try stage.transform(of: outer)
      base = resets ? local : base * local
    }
    return Prototype(prim: prim, base: base.inverse ?? .identity)
  }

  /// The ids that are switched off: the changes of all layers, from the weakest to the strongest.
  private static func inactive(_ stage: USDStage, _ prim: USDObject) throws -> Set<Int64> {
    var ids: Set<Int64> = []
    for site in prim.sites.reversed() {
      if case .edits(let edits) = try stage.content("inactiveIds", of: site) {
        edits.apply(to: &ids)
      }
    }
    return ids
  }

  private static func numbers(
    _ name: String, _ stage: USDStage, _ prim: USDObject
  ) throws -> [Int64]? {
    switch try stage.value(name, of: prim) {
    case .integers(let numbers): numbers.map(Int64.init)
    case .doubles(let numbers, 1): numbers.map { Int64(exactly: $0) ?? .max }
    default: nil
    }
  }

  private func warnOfMissing(_ stage: USDStage, _ prim: USDObject) {
    let missing = indices.indices.filter { isShown($0) && prototype($0) == nil }
    guard let first = missing.first else { return }
    let what =
      prototypes.indices.contains(Int(indices[first]))
      ? "which does not exist" : "but there are \(prototypes.count)"
    stage.warn(
      "\(stage.place(of: prim)): an instance refers to prototype \(indices[first]), \(what); such instances (\(missing.count)) are left out"
    )
  }

  private func isShown(_ index: Int) -> Bool { !hidden.contains(ids?[index] ?? Int64(index)) }

  private func prototype(_ place: Int) -> Prototype? {
    let index = Int(indices[place])
    return prototypes.indices.contains(index) ? prototypes[index] : nil
  }

  /// The number of instances of each prototype that are shown.
  var shownCounts: [Int32: Int] {
    indices.indices.reduce(into: [:]) { if isShown($1) { $0[indices[$1], default: 0] += 1 } }
  }

  /// Which prototype an instance repeats.
  func prototypeIndex(_ index: Int) -> Int32 { indices[index] }

  /// The prim of an instance and its transform; nil if it is hidden, or has none.
  func instance(_ index: Int) -> (prototype: Prototype, transform: Transform)? {
    guard isShown(index), let prototype = prototype(index) else { return nil }
    let transform = Transform(
      scale: scales.map { SIMD3<Double>($0[index].simd) },
      rotation: orientations.map { SIMD4<Double>($0[index]) },
      translation: positions.map { SIMD3<Double>($0[index].simd) })
    return (prototype, transform)
  }
}
