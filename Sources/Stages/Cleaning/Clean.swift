public import MeshPipeline
import SurfaceKernels

/// Removes what should not be in a mesh and winds all faces alike.
public struct Clean: Stage {
  public static let otherNames = ["repair", "cleanup", "triangulate"]
  public static let summary =
    "Removes degenerate and repeated faces, unused vertices and broken numbers, and winds faces alike."
  public static let discussion = """
    In this order, each step with a switch of its own: vertices with coordinates that are not finite \
    go, with their faces (and points likewise), and other broken numbers are replaced; faces with a \
    repeated vertex or with all corners on a line go; faces on the same three vertices as an earlier \
    one go, whatever their order; neighbours across an edge with two faces are wound alike; each \
    connected part is turned so that its outside is out; vertices without faces go.

    Outside is where a closed part encloses its volume from; for an open part, where its normals \
    point, or else the side that most of its area already shows. A closed part inside another that is \
    wound inwards throughout is taken for a cavity and stays. Parts without two sides, such as a \
    Möbius strip, stay and are counted in a warning.

    Run `weld` before it when faces do not share vertices: else no neighbours are found.
    """
  public static func remedy(for fault: SceneFault) -> String? {
    fault == .brokenNumbers ? name : nil
  }

  public static let example = #"{ "use": "clean" }"#

  public struct Parameters: StageParameters {
    @Parameter("Remove vertices and points with coordinates that are not finite, and their faces.")
    public var nonFinite = true

    @Parameter("Remove faces without area.")
    public var degenerateFaces = true

    @Parameter("Remove faces on the same three vertices as an earlier one.")
    public var duplicateFaces = true

    @Parameter("Wind neighbouring faces alike.")
    public var winding = true

    @Parameter(
      """
      Turn each connected part so that its outside is out; else it keeps the side that most of its area \
      shows, as suits a room that is seen from inside.
      """)
    public var orientation = true

    @Parameter("Remove vertices without faces.")
    public var unusedVertices = true

    public init() {}
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  /// What was changed, for the report.
  private struct Counts {
    var nonFinite = 0
    var degenerate = 0
    var duplicate = 0
    var flipped = 0
    var unused = 0
    var nonOrientable = 0
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    var counts = Counts()
    try scene.updateMeshes(in: context) { mesh in
      removeFaces(of: &mesh, &counts)
      try context.checkCancellation()
      if parameters.winding { wind(&mesh, &counts) }
      try context.checkCancellation()
      removeVertices(of: &mesh, &counts)
    }
    if parameters.nonFinite {
      for index in scene.pointClouds.indices {
        let before = scene.pointClouds[index].positions.count
        scene.pointClouds[index].removeNonFinitePoints()
        counts.nonFinite += before - scene.pointClouds[index].positions.count
      }
    }
    context.note("nonFinite", counts.nonFinite.json)
    context.note("degenerateFaces", counts.degenerate.json)
    context.note("duplicateFaces", counts.duplicate.json)
    context.note("flippedFaces", counts.flipped.json)
    context.note("unusedVertices", counts.unused.json)
    if counts.nonOrientable > 0 {
      context.warn(
        "\(counts.nonOrientable) connected part(s) have no consistent winding and stay as they are")
    }
    return scene
  }

  private func removeFaces(of mesh: inout Mesh, _ counts: inout Counts) {
    var keep = [Bool](repeating: true, count: mesh.faceCount)
    for face in keep.indices {
      if !mesh.isFinite(face) {
        keep[face] = !parameters.nonFinite
      } else if parameters.degenerateFaces, mesh.isDegenerate(face) {
        keep[face] = false
        counts.degenerate += 1
      }
    }
    if parameters.duplicateFaces {
      let repeated = repeatedFaces(indices: mesh.indices, considered: keep)
      for face in keep.indices where repeated[face] {
        keep[face] = false
        counts.duplicate += 1
      }
    }
    mesh.keepFaces(keep, keepingVertices: true)
  }

  private func wind(_ mesh: inout Mesh, _ counts: inout Counts) {
    var winding = Winding(of: mesh, edges: Edges(mesh))
    if parameters.orientation { winding.orient(mesh) } else { winding.keepMajority(of: mesh) }
    counts.flipped += winding.isFlipped.count { $0 }
    counts.nonOrientable += winding.nonOrientableCount
    mesh.flipFaces(winding.isFlipped)
  }

  private func removeVertices(of mesh: inout Mesh, _ counts: inout Counts) {
    var keep =
      parameters.unusedVertices
      ? mesh.usedVertices : [Bool](repeating: true, count: mesh.vertexCount)
    for vertex in keep.indices {
      if parameters.nonFinite, !mesh.positions[vertex].isFinite {
        keep[vertex] = false
        counts.nonFinite += 1
      } else if !keep[vertex] {
        counts.unused += 1
      }
    }
    mesh.keepVertices(keep)
    if parameters.nonFinite { mesh.replaceBrokenAttributes() }
  }
}
