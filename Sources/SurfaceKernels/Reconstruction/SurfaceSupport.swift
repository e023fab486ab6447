import MeshpipeBase
package import MeshpipeScene
import POSIX

/// The criteria for the part of a surface that points support.
package struct SurfaceTrimming: Sendable, Equatable {
  /// The distance from the points up to which there is surface.
  package enum Reach: Sendable, Equatable {
    /// Everywhere: the surface stays closed.
    case unlimited
    /// Some spacings of the points there, or edges of the finest cells if these are longer.
    case spacings
    /// A distance in units of the points.
    case distance(Double)

    /// The cells over which the field is smooth: the surface goes on so far beyond the points.
    fileprivate static let cells: Float = 3
    /// The levels by which cells of sparse points may be coarser than the finest, and count as such.
    fileprivate static let mostSteps: Float = 3

    /// The distance from the points beyond which there is no surface anywhere; nil if it stays closed.
    ///
    /// - Parameter cell: The edge of the finest cells.
    func limit(cell: Double) -> Double? {
      switch self {
      case .unlimited: nil
      case .spacings: Self.farthest(cell: cell)
      case .distance(let most): most
      }
    }

    /// The distance from sparse points up to which there is surface by their spacings.
    fileprivate static func farthest(cell: Double) -> Double {
      Double(cells * exp2(mostSteps)) * cell
    }
  }

  package var reach: Reach
  /// The share of the vertices, those where points are least dense, that is not surface either.
  package var leastDense: Double

  package init(reach: Reach, leastDense: Double) {
    self.reach = reach
    self.leastDense = leastDense
  }
}

extension PoissonReconstruction.Surface {
  /// The surface with the attributes of the points, without what they don't support.
  ///
  /// Vertices have the means of the points in the nearest cell with some, and faces the classes of theirs;
  /// vertex normals are those of the field.
  ///
  /// - Parameter cloud: The points that the surface was made of.
  package func mesh(carrying cloud: PointCloud) -> Mesh {
    let (isUnlimited, isCarrying) = (trimming.reach == .unlimited, cloud.hasOtherAttributes)
    let support = SurfaceSupport(self, isSearched: isCarrying || !isUnlimited)
    var mesh = mesh
    mesh.name = cloud.name
    var sources: [UInt32] = []
    // Otherwise no vertex stays that is far from all samples.
    if isCarrying { sources = isUnlimited ? support.spread(over: mesh) : support.samples }
    let isSupported = support.vertices()
    if isSupported.contains(false) {
      let indices = mesh.indices
      mesh.keepFaces(
        Parallel.array(count: mesh.faceCount) { face in
          (0..<3).allSatisfy { isSupported[Int(indices[3 * face + $0])] }
        }, keepingVertices: true)
      let isUsed = mesh.usedVertices
      mesh.keepVertices(isUsed)
      sources = sources.indices.filter { isUsed[$0] }.map { sources[$0] }
    }
    return isCarrying ? mesh.carrying(samples.means(of: cloud), at: sources) : mesh
  }
}

/// The samples that are nearest to the vertices of a reconstructed surface.
private struct SurfaceSupport: Sendable {
  private let surface: PoissonReconstruction.Surface
  /// One per vertex, ``far`` where there is none; empty if they were not searched.
  private let nearest: [NearestPoints.Neighbor]

  /// Instead of a sample, where all are far away.
  private static let far = NearestPoints.Neighbor(squaredDistance: .infinity, index: .max)

  /// - Parameter isSearched: Whether samples matter at all.
  init(_ surface: PoissonReconstruction.Surface, isSearched: Bool) {
    self.surface = surface
    guard isSearched else {
      nearest = []
      return
    }
    let (samples, positions) = (surface.samples, surface.mesh.positions)
    let grid = samples.grid
    let tree = PointTree(
      Parallel.array(count: samples.count) {
        Vector3(SIMD3<Float>(grid.origin + samples.position($0) * grid.cell))
      })
    let limit =
      surface.trimming.reach.limit(cell: surface.cell)
      ?? SurfaceTrimming.Reach.farthest(cell: surface.cell)
    nearest = Parallel.array(count: positions.count, chunkSize: 1 << 11) { range, nearest in
      var found = NearestPoints(capacity: 1, reach: limit)
      for vertex in range {
        tree.find(&found, around: positions[vertex].double)
        nearest.append(found.count > 0 ? found[0] : Self.far)
      }
    }
  }

  /// The sample of each vertex.
  var samples: [UInt32] { nearest.map(\.index) }

  /// Whether each vertex is near enough to the points.
  func vertices() -> [Bool] {
    let (surface, nearest, trimming) = (surface, nearest, surface.trimming)
    let densities = trimming.leastDense > 0 ? densities() : []
    let least = Self.quantile(trimming.leastDense, of: densities)
    let finest = Float(surface.samples.grid.finest)
    return Parallel.array(count: surface.mesh.vertexCount) { vertex in
      // Far from all points many vertices are equally sparse, and none of these is better than another.
      if !densities.isEmpty, densities[vertex] <= least { return false }
      switch trimming.reach {
      case .unlimited: return true
      case .distance(let most): return Double(nearest[vertex].distance) <= most
      case .spacings:
        let sample = nearest[vertex]
        guard sample.index != Self.far.index else { return false }
        let level = surface.areas.levels[Int(sample.index)]
        let steps = min(finest - level, SurfaceTrimming.Reach.mostSteps)
        return sample.distance <= SurfaceTrimming.Reach.cells * Float(surface.cell) * exp2(steps)
      }
    }
  }

  /// The samples, for far vertices those of the nearest vertex along the surface.
  func spread(over mesh: Mesh) -> [UInt32] {
    var result = samples
    guard result.contains(Self.far.index) else { return result }
    let corners = VertexCorners(mesh)
    var queue = result.indices.filter { result[$0] != Self.far.index }
    var next = 0
    while next < queue.count {
      let vertex = queue[next]
      next += 1
      for corner in corners[vertex] {
        for other in [
          mesh.indices[nextCorner(Int(corner))], mesh.indices[previousCorner(Int(corner))],
        ]
        where result[Int(other)] == Self.far.index {
          result[Int(other)] = result[vertex]
          queue.append(Int(other))
        }
      }
    }
    // Parts that are far from all points have no surface to take it from.
    return result.map { $0 == Self.far.index ? 0 : $0 }
  }

  private func densities() -> [Float] {
    let (surface, positions) = (surface, surface.mesh.positions)
    return Parallel.array(count: positions.count) {
      surface.density.value(at: surface.samples.grid.place(of: positions[$0]))
    }
  }

  private static func quantile(_ share: Double, of values: [Float]) -> Float {
    let place = Int(Double(values.count) * min(share, 1))
    return place < values.count ? values.element(ofRank: place) : .infinity
  }
}

extension NearestPoints.Neighbor {
  fileprivate var distance: Float { Float(squaredDistance.squareRoot()) }
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
  /// The mesh with the attributes of points other than normals, and the classes of vertices' points on faces.
  ///
  /// - Parameter sources: The point of each vertex.
  fileprivate func carrying(_ cloud: PointCloud, at sources: [UInt32]) -> Mesh {
    var points = cloud
    points.apply(ChosenElements(sources), to: .point)
    (points.positions, points.normals) = (positions, normals)
    var mesh = Mesh(vertices: points, indices: indices)
    if let classes = points.classes {
      let labels = Parallel.array(count: faceCount) { face in
        FaceClasses.label(ofFaceWith: vertices(ofFace: face), classes.labels)
      }
      mesh.classes = FaceClasses(labels: labels, names: classes.names)
    }
    return mesh
  }
}
