public import MeshPipeline
import SurfaceKernels

/// Merges vertices that coincide within a tolerance, so that faces become connected.
public struct Weld: Stage {
  public static let otherNames = ["merge-vertices", "merge-by-distance", "remove-doubles"]
  public static let summary =
    "Merges vertices that coincide within a tolerance, so that faces become connected."
  public static let discussion = """
    Each vertex joins the nearest earlier vertex within the tolerance and takes its position. \
    Vertices do not chain, so nothing moves farther than the tolerance, and a second weld \
    changes nothing.

    Scans often come in pieces with duplicated border vertices (ARKit's mesh anchors, STL \
    files). Every stage that uses connectivity, such as `decimate`, `clean`, `remove-fragments` \
    or `compute-normals`, needs them welded.

    Attributes of joined vertices are averaged, but of integer ones the first is kept. Faces that lose an edge \
    are removed. Texture coordinates, materials and classes belong to corners and faces and are \
    unchanged. Points of point clouds are welded too; a point keeps the class of the first. Only \
    vertices of the same mesh are welded: run `merge` first to weld across meshes.
    """
  public static let example = #"{ "use": "weld", "with": { "tolerance": "1mm" } }"#

  public struct Parameters: StageParameters {
    @Parameter(
      "Maximum distance of merged vertices, as a length or as a share of the extent; 0 merges equal positions only.",
      in: 0...Double.infinity, scope: .detail)
    public var tolerance = RelativeLength.length(Length(meters: 0))

    @Parameter(
      "Treatment of normals: one mean per vertex, or each face keeps its own at its corner.")
    public var normals = Normals.average

    public init() {}
  }

  /// The treatment of different normals.
  public enum Normals: String, CaseIterable, ParameterValue {
    /// One mean normal, so that the surface looks smooth there.
    case average
    /// Each face keeps its own at its corner, so that hard edges stay hard.
    case keep
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public var objectionToSplats: String? {
    "those in one place are seen through one another, so that none stands for the others"
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    let tolerance = parameters.tolerance.resolved(
      extent: Double(scene.bounds.extent), in: scene.coordinateSystem)
    let before = scene.vertexCount + scene.pointCount
    try scene.updateMeshes(in: context) { mesh in
      let clusters = VertexClusters(of: mesh.positions, within: tolerance)
      try context.checkCancellation()
      mesh.join(clusters, keepingNormals: parameters.normals == .keep)
    }
    for index in scene.pointClouds.indices {
      let clusters = VertexClusters(of: scene.pointClouds[index].positions, within: tolerance)
      try context.checkCancellation()
      scene.pointClouds[index].join(clusters)
    }
    context.note(
      "joinedVertices", (before - scene.vertexCount - scene.pointCount).json)
    return scene
  }
}

extension Mesh {
  /// Merges each cluster into one vertex and removes faces that lose an edge.
  fileprivate mutating func join(_ clusters: VertexClusters, keepingNormals: Bool) {
    guard clusters.count < vertexCount else { return }
    if keepingNormals, cornerNormals == nil, let normals {
      let mean = clusters.meanNormals(of: normals)
      let differs = clusters.cluster.indices.contains { vertex in
        normals[vertex].simd.dot(mean[Int(clusters.cluster[vertex])].simd) < 0.9999
      }
      if differs { cornerNormals = indices.map { normals[Int($0)] } }
    }
    positions = clusters.firstValues(of: positions)
    apply(clusters, to: .vertex)
    for corner in indices.indices {
      indices[corner] = clusters.cluster[Int(indices[corner])]
    }
    let keep = (0..<faceCount).map { face in
      let (a, b, c) = vertices(ofFace: face)
      return a != b && b != c && c != a
    }
    keepFaces(keep, keepingVertices: true)
  }
}

extension PointCloud {
  /// Merges each cluster into one point.
  fileprivate mutating func join(_ clusters: VertexClusters) {
    guard clusters.count < positions.count else { return }
    positions = clusters.firstValues(of: positions)
    apply(clusters, to: .point)
  }
}
