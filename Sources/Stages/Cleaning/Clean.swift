public import MeshPipeline
import SurfaceKernels

/// Removes degenerate and duplicate faces, unused vertices and non-finite values, and fixes winding.
public struct Clean: Stage {
  public static let otherNames = ["repair", "cleanup", "triangulate"]
  public static let summary =
    "Removes degenerate and duplicate faces, unused vertices and non-finite values, and fixes winding."
  public static let discussion = """
    Removes non-finite values, degenerate and duplicate faces, and unused vertices, and makes \
    the winding consistent. Each step has its own switch.

    The steps, in order:

    - Vertices with non-finite coordinates are removed with their faces (points likewise); other \
    non-finite values are replaced.
    - Faces with a repeated vertex or with collinear corners are removed.
    - Faces on the same three vertices as an earlier one are removed, in any order of the \
    vertices.
    - Neighbours across an edge with two faces are wound consistently.
    - Each connected part is oriented with its outside facing out.
    - Vertices without faces are removed.

    A part with faces of the classes floor or ceiling is a room, which people see from inside: \
    floors look up, ceilings down. For another closed part, the outside is the side that does not \
    enclose its volume. For an open part it is where its normals point; without normals, rays \
    from both sides decide: from the outside more of them escape from the scene, and the others go \
    farther. What shows both sides alike, such as a flat sheet, keeps the side of most of its area \
    and is counted in a warning, and so do the other open parts of a room, without a warning. A \
    closed part inside another that is wound inwards throughout is treated as a cavity and left \
    alone. Non-orientable parts, such as a Möbius strip, are left alone and counted in a warning. \
    Turn `orientation` off for a room without classes and normals.

    Run `weld` first when faces do not share vertices; without shared vertices there are no \
    neighbours.
    """
  public static func remedy(for fault: SceneFault) -> String? {
    fault == .brokenNumbers ? name : nil
  }

  public static let example = #"{ "use": "clean" }"#

  public struct Parameters: StageParameters {
    @Parameter("Remove vertices and points with non-finite coordinates, and their faces.")
    public var nonFinite = true

    @Parameter("Remove faces without area.")
    public var degenerateFaces = true

    @Parameter("Remove faces on the same three vertices as an earlier face.")
    public var duplicateFaces = true

    @Parameter("Wind neighbouring faces consistently.")
    public var winding = true

    @Parameter(
      """
      Orient each connected part with its outside facing out; otherwise it keeps the side that most of \
      its area shows, which suits a room seen from inside.
      """)
    public var orientation = true

    @Parameter("Remove vertices without faces.")
    public var unusedVertices = true

    public init() {}
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  /// Counts of the changes, for the report.
  private struct Counts {
    var nonFinite = 0
    var degenerate = 0
    var duplicate = 0
    var flipped = 0
    var unused = 0
    var nonOrientable = 0
    var unsure = 0
    var unsureArea = 0.0
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    var counts = Counts()
    try scene.updateMeshes(in: context, progress: 0...0.3) { removeFaces(of: &$0, &counts) }
    if parameters.winding { try wind(&scene, &counts) }
    try scene.updateMeshes(in: context, progress: 0.8...1) { removeVertices(of: &$0, &counts) }
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
    context.note("unsureParts", counts.unsure.json)
    warn(of: counts, in: scene, context)
    return scene
  }

  private func warn(of counts: Counts, in scene: borrowing Scene, _ context: StageContext) {
    if counts.nonOrientable > 0 {
      context.warn(
        "\(counts.nonOrientable) connected part(s) have no consistent winding and are left unchanged"
      )
    }
    guard counts.unsure > 0 else { return }
    let area = scene.meshes.reduce(0) { $0 + $1.area }
    if area > 0 {
      let share = NumberText.fixed(min(100, 100 * counts.unsureArea / area), digits: 1)
      context.warn(
        """
        \(counts.unsure) connected part(s) with \(share) % of the area have no clear outside and keep \
        the side that most of their area shows
        """)
    }
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

  private func wind(_ scene: inout Scene, _ counts: inout Counts) throws {
    let windings =
      parameters.orientation
      ? try Winding.outward(of: scene)
      : scene.meshes.map { mesh in
        var winding = Winding(of: mesh, edges: Edges(mesh))
        winding.keepMajority(of: mesh)
        return winding
      }
    for (index, winding) in windings.enumerated() {
      counts.flipped += winding.flippedCount
      counts.nonOrientable += winding.nonOrientableCount
      counts.unsure += winding.unsureCount
      counts.unsureArea += winding.unsureArea
      scene.meshes[index].flipFaces(winding.isFlipped)
    }
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
