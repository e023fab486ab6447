import MeshpipeScene

/// The floors and ceilings of a mesh, whose visible side is known.
struct LevelFaces {
  /// The direction of each class label: 1 if its faces look up, -1 if they look down, otherwise 0.
  private let senses: [Double]
  private let labels: [UInt16]
  private let up: SIMD3<Double>

  /// A smaller share of a component is a few faces with a wrong class.
  private static let leastShare = 0.05
  /// The minimum agreement: if floors look both ways, neither orientation is right.
  private static let leastAgreement = 0.5

  /// Nil for a mesh without floors and ceilings.
  ///
  /// - Parameter up: A unit vector in the axes of the mesh.
  init?(of mesh: Mesh, up: SIMD3<Double>) {
    guard let classes = mesh.classes,
      !Set(classes.presentNames).isDisjoint(with: ["floor", "ceiling"])
    else { return nil }
    senses = classes.names.map { $0 == "floor" ? 1 : $0 == "ceiling" ? -1 : 0 }
    labels = classes.labels
    self.up = up
  }

  /// The agreement of floors with facing up and of ceilings with facing down, from -1 to 1; nil without enough of them.
  func agreement(of faces: ArraySlice<UInt32>, in mesh: Mesh, isFlipped: [Bool]) -> Double? {
    var (agreement, level, all) = (0.0, 0.0, 0.0)
    for face in faces.lazy.map(Int.init) where mesh.isFinite(face) {
      let normal = mesh.areaVector(ofFace: face)
      all += normal.length
      let sense = senses[Int(labels[face])]
      guard sense != 0 else { continue }
      level += normal.length
      agreement += normal.dot(up) * (isFlipped[face] ? -sense : sense)
    }
    guard level > all * Self.leastShare, abs(agreement) > level * Self.leastAgreement else {
      return nil
    }
    return agreement / level
  }
}
