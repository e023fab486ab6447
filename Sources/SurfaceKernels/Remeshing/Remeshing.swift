package import MeshpipeScene
import POSIX

/// Gives a surface faces with nearly equal edges.
///
/// Long edges are split, short ones collapsed, edges flipped towards vertices of six neighbours, and
/// vertices moved along the surface, in turn (Botsch and Kobbelt 2004); with lengths that follow the
/// curvature after Dunyach and others (2013). Vertices on lines (borders, sharp edges, seams, borders
/// between classes) slide along them; corners of lines stay.
package struct Remeshing {
  package struct Options: Sendable {
    /// The target length of edges.
    package enum Size: Sendable {
      /// A length, in units of the mesh.
      case length(Double)
      /// The length that results in a number of faces.
      case faces(Int)
    }

    let size: Size
    /// The distance between the surface and its edges, in units of the mesh, that curved parts get shorter
    /// edges for; nil for edges of the same length everywhere.
    let curvatureError: Double?
    /// The angle between faces from which on their edge is a feature, in radians.
    let featureAngle: Double
    /// Rounds of splitting, collapsing, flipping and moving; at least 1.
    let iterations: Int

    package init(size: Size, curvatureError: Double?, featureAngle: Double, iterations: Int) {
      self.size = size
      self.curvatureError = curvatureError
      self.featureAngle = featureAngle
      self.iterations = iterations
    }
  }

  /// The result of remeshing, in units of the mesh.
  package struct Result: Sendable {
    /// The length that edges should have.
    package var edgeLength = 0.0
    /// The distance of the middles of new faces from the old surface.
    package var meanDistance = 0.0
    package var largestDistance = 0.0
    /// Faces that were left out: with a vertex twice, or with a coordinate that is not finite.
    package var removedFaces = 0
  }

  /// More faces than this are refused, unless there are as many already: 5 GB, and minutes.
  package static let maximumFaceCount = 25_000_000

  /// The surface would have too many faces.
  package struct TooManyFaces: Error {
    package let count: Double
    /// The most that are accepted for the mesh.
    package let most: Int
  }

  /// Remeshes a mesh; the result is the same on any number of threads.
  ///
  /// - Throws: ``TooManyFaces``, and what `progress` throws.
  /// - Complexity: O(faces before + faces after)
  package static func run(
    _ mesh: inout Mesh, _ options: Options, progress: (Double) throws -> Void
  ) throws -> Result {
    var result = Result()
    guard var reference = RemeshReference(mesh, featureAngle: options.featureAngle) else {
      result.removedFaces = mesh.faceCount
      mesh.keepFaces([Bool](repeating: false, count: mesh.faceCount))
      return result
    }
    result.removedFaces = mesh.faceCount - reference.faceCount
    try progress(0.1)
    let edgeLength = RemeshSizing.edgeLength(options.size, on: reference)
    let isAdaptive = options.curvatureError != nil
    reference.removeShortFeatures(
      edgeLength: edgeLength * (isAdaptive ? Double(RemeshSizing.leastShare) : 1))
    let sizing = RemeshSizing(usual: edgeLength, error: options.curvatureError, reference)
    // Also if it is not a number.
    let most = max(maximumFaceCount, reference.faceCount + reference.faceCount / 4)
    guard sizing.faceCount <= Double(most) else {
      throw TooManyFaces(count: sizing.faceCount, most: most)
    }
    var state = RemeshState(reference, sizing)
    result.edgeLength = edgeLength * reference.scale
    try progress(0.2)
    // In the last two rounds lengths stay, so that faces come to rest; of three rounds at most in the last one.
    let adjusting = max(options.iterations - 2, min(2, options.iterations - 1))
    // Once lengths stay, a few changes are not worth a look at all edges.
    var isChanging = true
    for iteration in 0..<options.iterations {
      let isAdjusting = iteration < adjusting
      if isChanging {
        let changes = state.splitLongEdges() + state.collapseShortEdges()
        isChanging = isAdjusting || 100 * changes > state.faces.faceCount
      }
      if state.isScattered { state.compact() }
      state.flipEdges(for: .valences, passes: 2)
      state.relax()
      if isAdjusting { state.adjustSizing() }
      try progress(0.2 + 0.6 * Double(iteration + 1) / Double(options.iterations))
    }
    state.flipEdges(for: .angles, passes: 4)
    state.relax()
    state.flipEdges(for: .distance, passes: 1)
    let remeshed = RemeshedMesh(state)
    let distances = remeshed.distances()
    result.meanDistance = distances.mean * reference.scale
    result.largestDistance = distances.largest * reference.scale
    try progress(0.9)
    remeshed.replace(&mesh, featureAngle: options.featureAngle)
    return result
  }
}
