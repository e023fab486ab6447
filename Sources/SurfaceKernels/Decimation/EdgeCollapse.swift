package import MeshPipeline

/// Thins a triangle mesh by collapsing edges, the cheapest first.
///
/// Each step takes a vertex `u` and a neighbour `v`, makes them one, and removes the one or two faces
/// that had both. A step is only taken when
/// - the surface stays what it is: the neighbours that `u` and `v` share are those of their common
///   faces (the link condition), so that no edge gets a third face and no hole closes or opens,
/// - no face turns over, seen from its old self and from the original surface around its vertices,
///   and none becomes a sliver,
/// - *lines* hold: a vertex on a border of the mesh, of a region or of a seam moves along that line
///   only, onto the next vertex; where lines end or meet it stays. A vertex that is not manifold stays.
///
/// Costs are renewed when their turn comes and not when a neighbour changes (they rarely fall), after
/// "Fast Mesh Decimation by Multiple-Choice Techniques" (Wu and Kobbelt 2002) and its kin.
///
/// Steps are taken in rounds. In each the surface is divided into parts that lie together, which are
/// thinned on all cores up to a common cost; what lies on the rims of parts waits for the next round,
/// which divides in another way. Neither parts nor rounds depend on the number of cores. Most of the first
/// round is taken before the whole is there: see ``FirstRound``.
package enum EdgeCollapse {
  /// What is to be thinned.
  package struct Surface {
    /// One per vertex; vertices at one place should be one vertex.
    var positions: [Vector3]
    /// The vertex of each corner, three corners per face.
    var vertices: [UInt32]
    /// A number for the attributes of each corner, or nil when corners of a vertex never differ.
    ///
    /// Two corners of a vertex have the same number when they have the same attributes.
    package var wedges: [UInt32]?
    /// The region that each face belongs to, or nil when there is one region.
    var regions: FaceRegions?
    /// The number of faces of each mesh that it was made of.
    var faceCounts: [Int]
    /// The vertices in spatial order.
    var order: [UInt32]

    package init(
      positions: [Vector3], vertices: [UInt32], wedges: [UInt32]? = nil,
      regions: FaceRegions? = nil, faceCounts: [Int], order: [UInt32]
    ) {
      self.positions = positions
      self.vertices = vertices
      self.wedges = wedges
      self.regions = regions
      self.faceCounts = faceCounts
      self.order = order
    }
  }

  /// How far to go, and what to hold.
  ///
  /// Flags stand before numbers: workers carry the options about, and with more than 32 bytes of them thinning
  /// takes a tenth longer.
  package struct Options {
    var targetFaceCount: Int
    /// Whether vertices that lie on no line go where they fit best, or onto neighbours alone.
    package var movesVertices = true
    /// Whether each edge is looked at from both ends, and no step is taken before a cheaper one.
    package var isThorough = false
    /// Whether lines take no part in the mean that is bounded: they weigh so much, and their own distance is
    /// so small, that near them a bound on the mean over all is none on the surface.
    package var boundsSurfaceAlone = false
    /// The largest error of a step (root of the mean squared distance), in units of the positions.
    package var maximumError = Float.infinity
    /// About how many vertices are thinned together; surfaces of a few times as many are not divided.
    var partSize = 4096
    /// Whether the mesh's open borders keep their place.
    package var holdsBorders = true
    /// Whether lines between regions keep their place.
    var holdsRegions = true
    /// Whether lines where wedges change keep their place.
    package var holdsSeams = true

    package init(targetFaceCount: Int) { self.targetFaceCount = targetFaceCount }
  }

  /// Why it ended.
  package enum Stop { case target, error, topology }

  /// What is left.
  package struct Result {
    /// The faces of the input that are left, ascending.
    package var faces: [UInt32] = []
    /// The vertex of each corner of those faces.
    var vertices: [UInt32] = []
    /// The wedge of each corner of those faces, when the input had them.
    var wedges: [UInt32]?
    /// The vertices that are left and have moved.
    var moved: [MovedVertex] = []
    /// The largest error of a step that was taken, in units of the positions.
    package var error: Float
    package var stop: Stop
  }

  struct MovedVertex: BitwiseCopyable {
    var vertex: UInt32
    var position: Vector3
    /// A vertex of the original surface near that position.
    var anchor: UInt32
  }

  /// Thins a surface.
  ///
  /// - Parameters:
  ///   - surface: What nobody needs any more once the work has begun is let go.
  ///   - keepsFaces: Whether faces and wedges of the surface are needed afterwards.
  ///   - progress: Called now and then with the part that is done.
  package static func run(
    _ surface: inout Surface, _ options: Options, keepsFaces: Bool,
    progress: (Double) throws(Cancelled) -> Void
  ) throws(Cancelled) -> Result {
    let first = try FirstRound(&surface, options, keepsFaces: keepsFaces) {
      fraction throws(Cancelled) in try progress(0.1 + 0.5 * fraction)
    }
    var rounds = CollapseRounds(after: first)
    try rounds.run { fraction throws(Cancelled) in try progress(0.6 + 0.4 * fraction) }
    return rounds.result(of: surface)
  }
}
