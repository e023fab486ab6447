package import MeshpipeScene
import POSIX

/// What counts as surface: what points support.
package struct SurfaceTrimming: Sendable, Equatable {
  /// The distance from the points up to which there is surface.
  package enum Reach: Sendable, Equatable {
    /// Everywhere: the surface stays closed.
    case unlimited
    /// Some spacings of the points there, or edges of the finest cells if these are longer.
    case spacings
    /// In units of the points.
    case distance(Double)
  }

  package var reach = Reach.spacings
  /// The share of the vertices, those where points are least dense, that is not surface either.
  package var leastDense = 0.0

  package init() {}
}

extension PoissonReconstruction.Surface {
  /// The surface with the attributes of the points, without what they don't support.
  ///
  /// Vertices have the means of the points in the nearest cell with some, and faces the classes of theirs;
  /// vertex normals are those of the field.
  ///
  /// - Parameter cloud: The points that the surface was made of.
  package func mesh(
    carrying cloud: PointCloud, _ trimming: SurfaceTrimming
  ) -> Mesh {
    let support = SurfaceSupport(self)
    var mesh = mesh
    mesh.name = cloud.name
    mesh.takeAttributes(of: samples.means(of: cloud), at: support.samples)
    let isSupported = support.vertices(within: trimming)
    guard isSupported.contains(false) else { return mesh }
    let indices = mesh.indices
    mesh.keepFaces(
      Parallel.array(count: mesh.faceCount) { face in
        (0..<3).allSatisfy { isSupported[Int(indices[3 * face + $0])] }
      })
    return mesh
  }
}

/// The samples that are nearest to the vertices of a reconstructed surface.
private struct SurfaceSupport: Sendable {
  private let surface: PoissonReconstruction.Surface
  /// One per vertex.
  let samples: [UInt32]
  private let distances: [Float]

  /// The cells over which the field is smooth: the surface goes on so far beyond the points.
  private static let supportedCells: Float = 3

  init(_ surface: PoissonReconstruction.Surface) {
    self.surface = surface
    let (samples, positions) = (surface.samples, surface.mesh.positions)
    let grid = samples.grid
    let tree = PointTree(
      Parallel.array(count: samples.count) {
        Vector3(SIMD3<Float>(grid.origin + samples.position($0) * grid.cell))
      })
    let nearest = ScratchBuffer<UInt32>(uninitialized: positions.count)
    distances = Parallel.array(count: positions.count, chunkSize: 1 << 11) { range, distances in
      var found = NearestPoints(capacity: 1)
      for vertex in range {
        tree.find(&found, around: positions[vertex].double)
        nearest[vertex] = found[0].index
        distances.append(Float(found[0].squaredDistance.squareRoot()))
      }
    }
    self.samples = (0..<nearest.count).map { nearest[$0] }
  }

  /// Whether each vertex is near enough to the points.
  func vertices(within trimming: SurfaceTrimming) -> [Bool] {
    let (surface, samples, distances) = (surface, samples, distances)
    let densities = trimming.leastDense > 0 ? densities() : []
    let least = Self.quantile(trimming.leastDense, of: densities)
    let finest = Float(surface.samples.grid.finest)
    return Parallel.array(count: samples.count) { vertex in
      if !densities.isEmpty, densities[vertex] < least { return false }
      switch trimming.reach {
      case .unlimited: return true
      case .distance(let most): return Double(distances[vertex]) <= most
      case .spacings:
        let steps = finest - surface.areas.levels[Int(samples[vertex])]
        return distances[vertex] <= Self.supportedCells * Float(surface.cell) * exp2(steps)
      }
    }
  }

  private func densities() -> [Float] {
    let (surface, positions) = (surface, surface.mesh.positions)
    return Parallel.array(count: positions.count) {
      surface.density.value(at: surface.samples.grid.place(of: positions[$0]))
    }
  }

  private static func quantile(_ share: Double, of values: [Float]) -> Float {
    let place = Int(Double(values.count) * min(share, 1))
    return place < values.count ? values.sorted()[place] : .infinity
  }
}

extension CellSamples {
  /// The points of each sample as one, with the means of their attributes.
  fileprivate func means(of cloud: PointCloud) -> PointCloud {
    var means = cloud
    means.normals = nil
    guard !means.presentAttributes.isEmpty || means.hasCustomAttributes else { return means }
    means.apply(ChosenElements(order), to: .point)
    means.apply(VertexClusters(runs: starts), to: .point)
    return means
  }
}

extension VertexClusters {
  /// Clusters of consecutive vertices.
  ///
  /// - Parameter starts: The first vertex of each cluster, and last the number of vertices.
  init(runs starts: [Int]) {
    first = starts.dropLast().map { UInt32($0) }
    cluster.reserveCapacity(starts[starts.count - 1])
    for (number, start) in starts.dropLast().enumerated() {
      for _ in start..<starts[number + 1] { cluster.append(UInt32(number)) }
    }
  }
}

// MARK: Attributes

extension Mesh {
  /// Takes the attributes of points other than normals.
  ///
  /// - Parameter nearest: The point of each vertex.
  fileprivate mutating func takeAttributes(of cloud: PointCloud, at nearest: [UInt32]) {
    if let names = cloud.classes?.names { classes = FaceClasses(labels: [], names: names) }
    Mesh.forEachAttribute(NearestValues(cloud: cloud, nearest: nearest), &self)
    vertexAttributes = cloud.attributes
    vertexAttributes.apply(ChosenElements(nearest))
  }
}

/// Gives vertices the values of points, and faces what two of their vertices have, or the first one.
private struct NearestValues: AttributeVisitor {
  let cloud: PointCloud
  let nearest: [UInt32]

  func visit<Value: AttributeValue>(_ attribute: Attribute<Mesh, Value>, _ mesh: inout Mesh) {
    guard let path = attribute.ofPoints, let all = cloud[keyPath: path] else { return }
    switch attribute.element {
    case .vertex, .point:
      mesh[keyPath: attribute.path] = Parallel.array(count: nearest.count) {
        all[Int(nearest[$0])]
      }
    case .face:
      let indices = mesh.indices
      mesh[keyPath: attribute.path] = Parallel.array(count: indices.count / 3) { face in
        let values = (0..<3).map { all[Int(nearest[Int(indices[3 * face + $0])])] }
        return values[1] == values[2] ? values[1] : values[0]
      }
    case .corner: break
    }
  }
}
