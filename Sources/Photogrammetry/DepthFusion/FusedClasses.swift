import MeshpipeScene

/// The classes of a fused mesh: those of the scan's own mesh where that is near, and elsewhere that
/// of the plane that a face continues.
struct FusedClasses {
  private let positions: [SIMD3<Float>]
  private let mesh: Mesh
  /// The class of each vertex; ``FaceClasses/unknown`` where none was found.
  private var labels: [UInt16]
  /// A vertex from which a class spread.
  private var seeds: [UInt32]
  /// Vertices this near to a face of the scan have its class, in metres.
  static let reach: Float = 0.05
  /// The cosine of the angle, and the distance in metres, that a plane goes on within.
  private static let plane = (cosine: Float(0.94), distance: Float(0.04))

  /// - Parameter mesh: With normals, in units of the scene.
  init(_ mesh: Mesh, of scan: Mesh, _ classes: FaceClasses, _ scale: MetricScale) {
    self.mesh = mesh
    positions = mesh.positions.map { scale.meters($0) }
    let surface = ScanSurface(scan, scale, reach: Self.reach)
    let (places, normals) = (positions, mesh.normals ?? [])
    labels = Parallel.array(count: places.count, chunkSize: 4096) { vertex in
      guard let face = surface.face(at: places[vertex], facing: normals[vertex].simd) else {
        return FaceClasses.unknown
      }
      return classes.labels[face]
    }
    seeds = Array(0..<UInt32(places.count))
  }

  /// A label for each face.
  mutating func faceLabels() -> [UInt16] {
    spread()
    let labels = labels
    let mesh = mesh
    return Parallel.array(count: mesh.faceCount) { face in
      FaceClasses.label(ofFaceWith: mesh.vertices(ofFace: face), labels)
    }
  }

  /// Carries classes along planes to vertices without one.
  private mutating func spread() {
    let faces = (0..<mesh.faceCount).filter { face in
      (0..<3).contains { labels[Int(mesh.indices[3 * face + $0])] == FaceClasses.unknown }
    }
    guard !faces.isEmpty, let normals = mesh.normals else { return }
    var around: [UInt32: [UInt32]] = [:]
    for face in faces {
      for corner in 3 * face..<3 * face + 3 {
        let vertex = mesh.indices[corner]
        around[vertex, default: []].append(mesh.indices[nextCorner(corner)])
        around[vertex, default: []].append(mesh.indices[previousCorner(corner)])
      }
    }
    var queue = around.keys.filter { labels[Int($0)] != FaceClasses.unknown }.sorted()
    var next = 0
    while next < queue.count {
      let vertex = queue[next]
      next += 1
      let seed = Int(seeds[Int(vertex)])
      for other in around[vertex] ?? [] where labels[Int(other)] == FaceClasses.unknown {
        let offset = positions[Int(other)] - positions[seed]
        guard normals[Int(other)].simd.dot(normals[seed].simd) > Self.plane.cosine,
          abs(offset.dot(normals[seed].simd)) < Self.plane.distance
        else { continue }
        labels[Int(other)] = labels[Int(vertex)]
        seeds[Int(other)] = UInt32(seed)
        queue.append(other)
      }
    }
  }
}
