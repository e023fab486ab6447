package import MeshpipeScene
import SurfaceKernels

/// New surface for the holes of a scan's mesh, joined to its boundary.
///
/// What of the fused mesh lies on the scan is left out. Along each border that this leaves, triangles
/// to the nearest boundary of the scan close the gap, so that both share edges (as the zippering of
/// Turk and Levoy 1994, but neither side is clipped).
struct ScanCompletion {
  private let scan: Mesh
  private var fused: Mesh
  private let scale: MetricScale
  /// The distance to the scan within which a point is on it, in metres; the gap is about as wide.
  private let reach: Float
  /// The start of the boundary edge that ends at a vertex of the scan.
  private var previous: [UInt32: UInt32] = [:]
  private var boundary: Surfels
  private var joints: [UInt32] = []
  /// Edges of the scan's boundary that have got their second face, by their end.
  private var joined: Set<UInt32> = []
  /// The most edges of the scan's boundary along one edge of the new surface.
  private static let longestPath = 12

  init(_ scan: Mesh, by fused: Mesh, _ scale: MetricScale, voxel: Double) {
    self.scan = scan
    self.fused = fused
    self.scale = scale
    reach = max(0.03, 3 * Float(voxel))
    boundary = Surfels([], cell: 2 * reach)
    removeCovered()
    findBoundary()
  }

  /// The vertices of ``scan`` that the last ones of the new mesh stand for, in their order.
  struct Addition {
    var mesh: Mesh
    var sharedVertices: [UInt32]
  }

  /// The new surface; its last vertices are copies of vertices of the scan.
  mutating func addition() -> Addition {
    var shared: [UInt32: UInt32] = [:]
    var copies: [UInt32] = []
    let count = UInt32(fused.vertexCount)
    let loops = BoundaryLoops(of: fused, edges: Edges(fused)).loops
    for loop in loops {
      for triangle in strip(along: loop.map { fused.indices[$0] }) {
        for (isScan, vertex) in triangle {
          guard isScan else {
            fused.indices.append(vertex)
            continue
          }
          if shared[vertex] == nil {
            shared[vertex] = count + UInt32(copies.count)
            copies.append(vertex)
          }
          fused.indices.append(shared[vertex] ?? 0)
        }
      }
    }
    let plain = fused.normals?.last ?? Vector3(0, 1, 0)
    for vertex in copies {
      fused.positions.append(scan.positions[Int(vertex)])
      fused.normals?.append(scan.normals?[Int(vertex)] ?? plain)
      fused.confidences?.append(scan.confidences?[Int(vertex)] ?? 0)
    }
    return Addition(mesh: fused, sharedVertices: copies)
  }

  private mutating func removeCovered() {
    let surface = ScanSurface(scan, scale, reach: reach)
    let (fused, scale) = (fused, scale)
    let isCovered: [Bool] = Parallel.array(count: fused.vertexCount, chunkSize: 4096) { vertex in
      let position = scale.meters(fused.positions[vertex])
      return surface.face(at: position, facing: fused.normals?[vertex].simd ?? .zero) != nil
    }
    self.fused.keepFaces(
      (0..<fused.faceCount).map { face in
        (0..<3).allSatisfy { !isCovered[Int(fused.indices[3 * face + $0])] }
      })
  }

  private mutating func findBoundary() {
    let edges = Edges(scan)
    var patches: [(Surfels.Patch, UInt32)] = []
    for edge in edges where edge.isBoundary {
      let corner = Int(edges.halfedges[edge.places.lowerBound])
      let (start, end) = (scan.indices[corner], scan.indices[nextCorner(corner)])
      // Where borders touch, none is followed.
      guard previous.updateValue(start, forKey: end) == nil else { continue }
      let position = scale.meters(scan.positions[Int(end)])
      guard let cell = ScanSurface.cell(of: position, boundary.cell) else { continue }
      patches.append(
        (
          Surfels.Patch(
            key: SparseBlocks.key(cell), cell: cell, position: position, normal: .zero, mass: 1,
            variance: 0), end
        ))
    }
    patches.sort { ($0.0.key, $0.1) < ($1.0.key, $1.1) }
    boundary = Surfels(patches.map(\.0), cell: boundary.cell)
    joints = patches.map(\.1)
  }

  /// The vertex of the scan's boundary that is nearest to one of the new surface.
  private func nearest(_ vertex: UInt32) -> UInt32? {
    let position = scale.meters(fused.positions[Int(vertex)])
    guard let center = ScanSurface.cell(of: position, boundary.cell) else { return nil }
    var best = boundary.cell * boundary.cell
    var found: UInt32?
    for place in 0..<Int32(27) {
      let cell = center &+ SIMD3(place % 3, place / 3 % 3, place / 9) &- 1
      for index in boundary.patches(in: cell) {
        let distance = (boundary.patches[index].position - position).lengthSquared
        if distance < best { (best, found) = (distance, joints[index]) }
      }
    }
    return found
  }

  private typealias Triangle = [(isScan: Bool, vertex: UInt32)]

  /// Triangles between a border of the new surface and that of the scan.
  private mutating func strip(along loop: [UInt32]) -> [Triangle] {
    var result: [Triangle] = []
    let targets = loop.map { nearest($0) }
    // Begins behind a gap, so that no strip is begun in its middle.
    let first = targets.indices.first { targets[$0] == nil } ?? 0
    var current: UInt32?
    for step in loop.indices {
      let index = (first + step) % loop.count
      let (one, two) = (loop[index], loop[(index + 1) % loop.count])
      guard let target = targets[(index + 1) % loop.count], targets[index] != nil else {
        current = nil
        continue
      }
      let start = current ?? targets[index] ?? target
      result.append([(false, two), (false, one), (true, start)])
      let path = path(from: start, to: target)
      for (from, to) in zip([start] + path, path) {
        joined.insert(from)
        result.append([(false, two), (true, from), (true, to)])
      }
      current = path.last ?? start
    }
    return result
  }

  /// The vertices along the boundary against its direction, without the first; empty if there is no
  /// short way over free edges.
  private func path(from start: UInt32, to target: UInt32) -> [UInt32] {
    var path: [UInt32] = []
    var vertex = start
    while vertex != target {
      guard path.count < Self.longestPath, !joined.contains(vertex),
        let next = previous[vertex]
      else { return [] }
      path.append(next)
      vertex = next
    }
    return path
  }
}

extension Mesh {
  /// The mesh with the surface of a fused one where it has none; both share vertices at their border.
  ///
  /// - Parameters:
  ///   - fused: With normals; its faces near the mesh are left out.
  ///   - voxel: Of the fusion, in metres.
  ///   - material: The material of new faces, where the mesh has materials.
  ///   - up: The normal of vertices whose faces give none.
  package func completed(
    by fused: Mesh, _ system: CoordinateSystem, voxel: Double, material: UInt32, up: Vector3
  ) -> Mesh {
    var completion = ScanCompletion(self, by: fused, MetricScale(system), voxel: voxel)
    var addition = completion.addition()
    guard addition.mesh.faceCount > 0 else { return self }
    addition.mesh.classes = classes.map {
      FaceClasses(
        labels: [UInt16](repeating: 0, count: addition.mesh.faceCount), names: $0.names)
    }
    if let classes {
      var fusedClasses = FusedClasses(addition.mesh, of: self, classes, MetricScale(system))
      addition.mesh.classes?.labels = fusedClasses.faceLabels()
    }
    let copies = UInt32(vertexCount + addition.mesh.vertexCount - addition.sharedVertices.count)
    let count = cornerCount
    var result = Mesh(
      joining: [self, addition.mesh], fillsMissing: true, neutralMaterial: material, up: up)
    for corner in count..<result.cornerCount where result.indices[corner] >= copies {
      result.indices[corner] = addition.sharedVertices[Int(result.indices[corner] - copies)]
    }
    result.keepFaces([Bool](repeating: true, count: result.faceCount))
    return result
  }

  /// Takes the classes of a scan where that is near, and elsewhere those of the planes that go on.
  package mutating func takeClasses(of scan: Mesh, _ system: CoordinateSystem) {
    guard let classes = scan.classes else { return }
    var fused = FusedClasses(self, of: scan, classes, MetricScale(system))
    self.classes = FaceClasses(labels: fused.faceLabels(), names: classes.names)
  }
}
