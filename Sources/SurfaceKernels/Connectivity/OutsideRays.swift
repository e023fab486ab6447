import MeshpipeScene
import NativeLibraries
import POSIX

/// Rays from both sides of the parts of a surface, which find out where its outside is.
///
/// Takayama, Jacobson, Kavan and Sorkine-Hornung: A Simple Method for Correcting Facet Orientations in
/// Polygon Meshes Based on Ray Casting, 2014.
struct OutsideRays {
  private let tracer: RayTracer
  /// For each face of the tracer the number of its component, or `open` if that has borders.
  private let closedParts: [UInt32]
  /// Rays start this far from the faces.
  private let near: Float

  private static let open = UInt32.max
  /// Enough for a share within some hundredths.
  private static let mostPairs = 512
  private static let fewestPairs = 8

  /// - Parameter windings: The components of each mesh.
  init(meshes: [Mesh], windings: [Winding]) throws(NativeLibraryError) {
    var positions: [Vector3] = []
    var indices: [UInt32] = []
    var closedParts: [UInt32] = []
    positions.reserveCapacity(meshes.reduce(0) { $0 + $1.vertexCount })
    indices.reserveCapacity(meshes.reduce(0) { $0 + $1.cornerCount })
    closedParts.reserveCapacity(meshes.reduce(0) { $0 + $1.faceCount })
    var number: UInt32 = 0
    for (mesh, winding) in zip(meshes, windings) {
      let first = UInt32(truncatingIfNeeded: positions.count)
      positions += mesh.positions.map { $0.isFinite ? $0 : .zero }
      for component in winding.components {
        for face in winding.order[component.places].lazy.map(Int.init) {
          guard mesh.isFinite(face), !mesh.isDegenerate(face) else { continue }
          indices += mesh.indices[3 * face..<3 * face + 3].lazy.map { $0 + first }
          closedParts.append(component.isClosed ? number : Self.open)
        }
        number += 1
      }
    }
    let box = Box(positions)
    near = box.isEmpty ? 0 : 4e-6 * max(box.maximum.max(), -box.minimum.min())
    tracer = try RayTracer(
      positions: consume positions, indices: consume indices, quality: .low)
    self.closedParts = closedParts
  }

  /// The evidence that the faces of a part look outwards, from -1 (they look inwards) to 1.
  ///
  /// From the outside more rays escape, and those that do not go farther until they hit something.
  /// - Complexity: O(faces), and at most 512 pairs of rays.
  func evidence(for faces: ArraySlice<UInt32>, of mesh: Mesh, isFlipped: [Bool]) -> Double {
    var reached = 0.0
    let areas = faces.map { face in
      let area = mesh.isFinite(Int(face)) ? mesh.area(ofFace: Int(face)) : 0
      reached += area.isFinite ? area : 0
      return reached
    }
    guard reached > 0 else { return 0 }
    var random = SplitMix64(seed: UInt64(faces.count))
    let most = min(Self.mostPairs, 4 * Self.fewestPairs * faces.count)
    var (votes, pairs) = (0.0, 0)
    while pairs < most {
      let place = areas.firstPlace(above: random.unit() * reached)
      let face = Int(faces[faces.startIndex + place])
      let vote = vote(onFace: face, of: mesh, &random)
      votes += isFlipped[face] ? -vote : vote
      pairs += 1
      // If all rays agree so far, more would not change the answer.
      if pairs % Self.fewestPairs == 0, abs(votes) > 0.95 * Double(pairs) { break }
    }
    return votes / Double(pairs)
  }

  /// Compares two opposite rays from a point of a face.
  private func vote(onFace face: Int, of mesh: Mesh, _ random: inout SplitMix64) -> Double {
    let (a, b, c) = mesh.vertices(ofFace: face)
    let (root, share) = (random.unit().squareRoot(), random.unit())
    let point =
      mesh.positions[Int(a)].double * (1 - root)
      + mesh.positions[Int(b)].double * (root * (1 - share))
      + mesh.positions[Int(c)].double * (root * share)
    let normal = mesh.areaVector(ofFace: face).normalized
    // The normal and a point on the unit sphere make a cosine-weighted direction.
    let (height, turn) = (2 * random.unit() - 1, 2 * Double.pi * random.unit())
    let ring = max(0, 1 - height * height).squareRoot()
    let direction = normal + SIMD3(ring * cos(turn), ring * sin(turn), height)
    return compare(
      distance(from: point, along: direction), distance(from: point, along: -direction))
  }

  private func compare(_ front: Float, _ back: Float) -> Double {
    switch (front.isFinite, back.isFinite) {
    case (false, false): 0
    case (false, true): 1
    case (true, false): -1
    case (true, true): front + back > 0 ? Double((front - back) / (front + back)) : 0
    }
  }

  private func distance(from point: SIMD3<Double>, along direction: SIMD3<Double>) -> Float {
    tracer.firstHit(from: SIMD3<Float>(point), along: SIMD3<Float>(direction), near: near)?.distance
      ?? .infinity
  }

  /// Whether a point is inside an odd number of closed parts, without that which it is on.
  func isEnclosed(_ point: SIMD3<Double>, ofPart part: Int) -> Bool {
    let directions: [SIMD3<Float>] = [
      SIMD3(0.61, 0.67, 0.43), SIMD3(-0.53, 0.29, 0.79), SIMD3(0.37, -0.83, 0.41),
      SIMD3(-0.71, -0.47, -0.52), SIMD3(0.23, 0.31, -0.92),
    ]
    let inside = directions.count { crossings(from: SIMD3<Float>(point), along: $0, part) % 2 == 1 }
    return 2 * inside > directions.count
  }

  private func crossings(
    from point: SIMD3<Float>, along direction: SIMD3<Float>, _ part: Int
  ) -> Int {
    var (count, start) = (0, near)
    while let hit = tracer.firstHit(from: point, along: direction, near: start) {
      let crossed = closedParts[Int(hit.face)]
      if crossed != Self.open, Int(crossed) != part { count += 1 }
      start = hit.distance.nextUp
    }
    return count
  }
}

extension [Double] {
  /// The first index of an ascending array whose element is above a number.
  fileprivate func firstPlace(above number: Double) -> Int {
    var (low, high) = (0, count - 1)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] > number { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
