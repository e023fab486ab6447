package import MeshpipeBase
package import MeshpipeScene

/// Decimates a triangle mesh by collapsing edges, the cheapest first.
///
/// Each step merges a vertex `u` with a neighbour `v`, and removes the one or two faces that share
/// both. A step is only taken if
/// - the topology is kept: the common neighbours of `u` and `v` are those of their common faces
///   (the link condition), so that no edge gets a third face and no hole closes or opens,
/// - no face flips, compared with its old normal and with the original surface around its vertices,
///   and none becomes a sliver,
/// - *lines* are preserved: a vertex on a border of the mesh, of a region or of a seam only moves
///   along that line, onto the next vertex; where lines end or meet it stays. Non-manifold vertices
///   stay.
///
/// Costs are updated when their turn comes and not when a neighbour changes (they rarely fall),
/// after "Fast Mesh Decimation by Multiple-Choice Techniques" (Wu and Kobbelt 2002) and related
/// methods.
///
/// Steps are taken in rounds. In each the surface is divided into connected parts, which are
/// decimated on all cores up to a common cost; the borders of parts wait for the next round, which
/// divides differently. Neither parts nor rounds depend on the number of cores. Most of the first
/// round happens before the whole surface is in memory: see ``FirstRound``.
///
/// To read the code, begin with ``CollapseState`` and ``CollapseFaces``, what is in memory; then
/// ``CollapseWorker``, a step, with ``Quadric`` (its cost), ``Ring`` and ``BucketQueue``; then
/// ``CollapseRounds`` and ``FirstRound``, which divide the surface into parts and blocks.
package enum EdgeCollapse {
  /// The surface to decimate.
  package struct Surface {
    /// The positions, one per vertex; coinciding vertices should be one vertex.
    var positions: [Vector3]
    /// The vertex of each corner, three corners per face.
    var vertices: [UInt32]
    /// A number for the attributes of each corner, or nil if corners of a vertex never differ.
    ///
    /// Two corners of a vertex have the same number if they have the same attributes.
    package var wedges: [UInt32]?
    /// The region that each face belongs to, or nil if there is one region.
    var regions: FaceRegions?
    /// Where the faces are in their textures, or nil if they have no texture coordinates.
    var mapping: SurfaceMapping?
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

  /// The target, and what to preserve.
  ///
  /// Flags precede numbers: workers copy the options, and with more than 32 bytes of them decimation
  /// takes a tenth longer.
  package struct Options {
    var targetFaceCount: Int
    /// Whether vertices that are on no line move to the optimal position, or only onto neighbours.
    package var movesVertices = true
    /// Whether each edge is examined from both ends, and no step is taken before a cheaper one.
    package var isThorough = false
    /// Whether lines are excluded from the mean that is bounded: their weight is so large, and
    /// their own distance so small, that near them a bound on the overall mean would not bound the
    /// surface.
    package var boundsSurfaceAlone = false
    /// The largest error of a step (root of the mean squared distance), in units of the positions.
    package var maximumError = Float.infinity
    /// About how many vertices are decimated together; surfaces of a few times as many are not
    /// divided.
    var partSize = 4096
    /// Whether the mesh's open borders are preserved.
    package var holdsBorders = true
    /// Whether lines between regions are preserved.
    var holdsRegions = true
    /// Whether lines where wedges change are preserved.
    package var holdsSeams = true

    package init(targetFaceCount: Int) { self.targetFaceCount = targetFaceCount }
  }

  /// The reason for the end of decimation.
  package enum Stop { case target, error, topology }

  /// The decimated surface.
  package struct Result {
    /// The remaining faces of the input, ascending.
    package var faces: [UInt32] = []
    /// The vertex of each corner of those faces.
    var vertices: [UInt32] = []
    /// The wedge of each corner of those faces, if the input had them.
    var wedges: [UInt32]?
    /// Where decimation put each corner of those faces in the texture, as texture coordinates; empty
    /// if there are none.
    var places: [Vector2] = []
    /// The remaining vertices that have moved.
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

  /// Decimates a surface until it has the target's number of faces, or no step is possible or exact enough.
  ///
  /// The result does not depend on the number of threads.
  ///
  /// - Parameters:
  ///   - surface: Data that is no longer needed is released during the work.
  ///   - keepsFaces: Whether faces and wedges of the surface are needed afterwards.
  ///   - progress: Called now and then with the share that is done; may cancel.
  /// - Throws: ``Cancelled``, if `progress` throws it.
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

/// The regions that the faces of several meshes belong to: faces with one material, class and colour, if colours are
/// parts of the surface.
///
/// Computed on demand, since a number for each face would take more memory than materials and
/// classes.
package struct FaceRegions: Sendable {
  private struct Part: Sendable {
    var materials: [UInt32]?
    var labels: [UInt16]?
    /// The number of each label in all meshes: they may number the same classes differently.
    ///
    /// Nil if labels are numbers of pairs, which are those of all meshes: a list of them for each mesh takes memory.
    var numbers: [UInt32]?

    func number(ofFace face: Int) -> UInt32 {
      guard let label = labels?[face] else { return 0xFFFF }
      return numbers?[Int(label)] ?? FaceRegions.firstPair + UInt32(label)
    }
  }

  private var parts: [Part] = []
  private let owners: FaceOwners

  /// Numbers from here on are those of pairs of a class and a colour.
  private static let firstPair: UInt32 = 0x8000

  /// Nil if all faces are of one region.
  ///
  /// - Parameter separatesClasses: Whether classes divide the surface into regions, as materials do.
  init?(_ meshes: [Mesh], separatesClasses: Bool) {
    let areColored = meshes.map(\.hasColorRegions)
    guard
      areColored.contains(true)
        || meshes.contains(where: {
          $0.faceMaterials != nil || separatesClasses && $0.classes != nil
        })
    else { return nil }
    var names: [String] = []
    var pairs: [UInt64: UInt32] = [:]
    owners = FaceOwners(meshes)
    for (mesh, isColored) in zip(meshes, areColored) {
      let classes = separatesClasses ? mesh.classes : nil
      let numbers = (classes?.names ?? []).map { name in
        if let known = names.firstIndex(of: name) { return UInt32(known) }
        names.append(name)
        return UInt32(names.count - 1)
      }
      let part = Part(materials: mesh.faceMaterials, labels: classes?.labels, numbers: numbers)
      parts.append(isColored ? Self.part(part, with: mesh.faceColors ?? [], &pairs) : part)
    }
  }

  /// The part with colours as further regions, or unchanged if there are too many.
  private static func part(
    _ part: Part, with colors: [Color], _ pairs: inout [UInt64: UInt32]
  ) -> Part {
    let most = Int(0xFFFE - firstPair)
    var labels: [UInt16] = []
    labels.reserveCapacity(colors.count)
    for (face, color) in colors.enumerated() {
      let key = UInt64(part.number(ofFace: face)) << 32 | UInt64(color.packed)
      guard let number = pairs[key] ?? (pairs.count < most ? UInt32(pairs.count) : nil) else {
        return part
      }
      pairs[key] = number
      labels.append(UInt16(truncatingIfNeeded: number))
    }
    return Part(materials: part.materials, labels: labels, numbers: nil)
  }

  subscript(face: Int) -> UInt32 {
    let owner = owners[face]
    let part = parts[owner.mesh]
    let material = (part.materials?[owner.face] ?? 0) & 0xFFFF
    return material << 16 | part.number(ofFace: owner.face)
  }
}
