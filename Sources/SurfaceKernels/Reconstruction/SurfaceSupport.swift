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
    let support = SurfaceSupport(self, trimming)
    var mesh = mesh
    mesh.name = cloud.name
    if cloud.hasOtherAttributes {
      mesh.takeAttributes(of: samples.means(of: cloud), at: support.spread(over: mesh))
    }
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
  /// One per vertex; ``unknown`` for those far from all samples.
  private let samples: [UInt32]
  private let distances: [Float]

  private static let unknown = UInt32.max
  /// The cells over which the field is smooth: the surface goes on so far beyond the points.
  private static let supportedCells: Float = 3
  /// The levels by which cells of sparse points may be coarser than the finest, and count as such.
  private static let mostSteps: Float = 3

  init(_ surface: PoissonReconstruction.Surface, _ trimming: SurfaceTrimming) {
    self.surface = surface
    var reach = Double(Self.supportedCells * exp2(Self.mostSteps)) * surface.cell
    if case .distance(let most) = trimming.reach { reach = most }
    let (samples, positions) = (surface.samples, surface.mesh.positions)
    let grid = samples.grid
    let tree = PointTree(
      Parallel.array(count: samples.count) {
        Vector3(SIMD3<Float>(grid.origin + samples.position($0) * grid.cell))
      })
    let limit = reach
    let nearest = ScratchBuffer<UInt32>(uninitialized: positions.count)
    distances = Parallel.array(count: positions.count, chunkSize: 1 << 11) { range, distances in
      var found = NearestPoints(capacity: 1, reach: limit)
      for vertex in range {
        tree.find(&found, around: positions[vertex].double)
        nearest[vertex] = found.count > 0 ? found[0].index : Self.unknown
        distances.append(
          found.count > 0 ? Float(found[0].squaredDistance.squareRoot()) : .infinity)
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
      // Far from all points many vertices are equally sparse, and none of these is better than another.
      if !densities.isEmpty, densities[vertex] <= least { return false }
      switch trimming.reach {
      case .unlimited: return true
      case .distance(let most): return Double(distances[vertex]) <= most
      case .spacings:
        guard samples[vertex] != Self.unknown else { return false }
        let steps = min(finest - surface.areas.levels[Int(samples[vertex])], Self.mostSteps)
        return distances[vertex] <= Self.supportedCells * Float(surface.cell) * exp2(steps)
      }
    }
  }

  /// The samples, for far vertices those of the nearest vertex along the surface.
  func spread(over mesh: Mesh) -> [UInt32] {
    guard samples.contains(Self.unknown) else { return samples }
    var result = samples
    let corners = VertexCorners(mesh)
    var queue = result.indices.filter { result[$0] != Self.unknown }
    var next = 0
    while next < queue.count {
      let vertex = queue[next]
      next += 1
      for corner in corners[vertex] {
        for other in [
          mesh.indices[nextCorner(Int(corner))], mesh.indices[previousCorner(Int(corner))],
        ]
        where result[Int(other)] == Self.unknown {
          result[Int(other)] = result[vertex]
          queue.append(Int(other))
        }
      }
    }
    // Parts that are far from all points have no surface to take it from.
    return result.map { $0 == Self.unknown ? 0 : $0 }
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
    means.apply(ChosenElements(order), to: .point)
    means.apply(VertexClusters(runs: starts), to: .point)
    return means
  }
}

extension PointCloud {
  /// Whether there are attributes other than normals.
  fileprivate var hasOtherAttributes: Bool {
    hasCustomAttributes || presentAttributes.contains { $0.feature != .normals }
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
