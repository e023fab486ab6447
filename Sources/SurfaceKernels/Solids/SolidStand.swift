package import MeshpipeScene

/// Which bodies of a solid stand on its base, or on others that do.
///
/// A body rests on another one if it would cut into it when it sank by a thousandth of the extent, and stands on the
/// base if it ends no higher than that. What else there is floats: a printer begins it in mid-air.
package struct SolidStand: Sendable {
  /// The height of the base.
  package let height: Double
  /// For each surface whether its body is carried.
  let isCarried: [Bool]
  let floating: [Int]

  /// The number of bodies that nothing carries.
  package var floatingCount: Int { floating.count }

  /// The maximum depth by which bodies may sink, as a fraction of the extent: about a layer of a print.
  private static let tolerance = 0.001

  private static let muchMore = 2.0

  /// Finds the bodies that stand.
  ///
  /// The base is at the lowest point, unless twice the volume stands at that of the largest body: a crumb below a
  /// model does not carry it.
  /// - Parameters:
  ///   - up: The direction of an axis.
  ///   - reach: Bodies that end at most this far above the base stand on it, too.
  ///   - slack: A multiple of what bodies may sink by.
  ///   - restsCount: Whether what rests on others is carried, or only what stands on the base.
  package init(
    _ bodies: SolidBodies, of mesh: Mesh, up: SIMD3<Double>, reach: Double = 0, slack: Double = 1,
    restsCount: Bool = true
  ) {
    let all = bodies.bodies
    let bottoms = bodies.surfaces.map { $0.box.heights(up: up).low }
    guard let lowest = all.map({ bottoms[$0] }).min() else {
      (height, isCarried, floating) = (0, [], [])
      return
    }
    let sinking = slack * Self.tolerance * Double(mesh.bounds.extent)
    let reach = max(reach, sinking)
    var (base, carried) = (lowest, Set(all.filter { bottoms[$0] <= lowest + reach }))
    if carried.count < all.count {
      var contacts = BodyContacts(bodies, of: mesh, up: up, sinking: sinking)
      if restsCount { contacts.carry(all, on: &carried) }
      let volumes = bodies.surfaces.indices.map { bodies.volume(ofBody: $0) }
      let largest = all.max { volumes[$0] < volumes[$1] } ?? all[0]
      if !carried.contains(largest) {
        let level = bottoms[largest]
        var others = Set(all.filter { bottoms[$0] >= level && bottoms[$0] <= level + reach })
        if restsCount { contacts.carry(all.filter { bottoms[$0] >= level }, on: &others) }
        func sum(_ set: Set<Int>) -> Double { set.sorted().reduce(0) { $0 + volumes[$1] } }
        if sum(others) > Self.muchMore * sum(carried) { (base, carried) = (level, others) }
      }
    }
    height = base
    isCarried = bodies.surfaces.map { carried.contains($0.body) }
    floating = all.filter { !carried.contains($0) }
  }
}

/// Which bodies rest on which, asked once for each pair.
private struct BodyContacts {
  private let bodies: SolidBodies
  private let mesh: Mesh
  private let faces: [[Int]]
  private let down: SIMD3<Float>
  private var known: [SIMD2<Int32>: Bool] = [:]

  init(_ bodies: SolidBodies, of mesh: Mesh, up: SIMD3<Double>, sinking: Double) {
    self.bodies = bodies
    self.mesh = mesh
    faces = bodies.faces()
    down = SIMD3<Float>(-sinking * up)
  }

  /// Adds to those that are carried what rests on them.
  mutating func carry(_ candidates: [Int], on carried: inout Set<Int>) {
    var fresh = carried.sorted()
    while !fresh.isEmpty {
      let found = candidates.filter { body in
        !carried.contains(body) && fresh.contains { rests(body, on: $0) }
      }
      carried.formUnion(found)
      fresh = found
    }
  }

  private mutating func rests(_ upper: Int, on lower: Int) -> Bool {
    var box = bodies.surfaces[upper].box
    box.add(Box(minimum: box.minimum + down, maximum: box.maximum + down))
    guard box.distance(to: bodies.surfaces[lower].box) == 0 else { return false }
    let pair = SIMD2(Int32(upper), Int32(lower))
    if let known = known[pair] { return known }
    var sunk = mesh.piece(faces[upper])
    for vertex in sunk.positions.indices {
      sunk.positions[vertex] = Vector3(sunk.positions[vertex].simd + down)
    }
    var other = Mesh(positions: mesh.positions)
    other.indices = faces[lower].flatMap { mesh.indices[3 * $0..<3 * $0 + 3] }
    let rests = !SelfIntersections(of: sunk, on: other).faces.isEmpty
    known[pair] = rests
    return rests
  }
}
