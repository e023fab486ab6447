public import MeshPipeline
import Photogrammetry
import SurfaceKernels

/// Computes normals from the faces, replacing those that the scan has.
public struct ComputeNormals: Stage {
  public static let otherNames = ["normals", "recalculate-normals", "smooth-normals"]
  public static let summary =
    "Computes normals from the faces, smooth everywhere or with hard edges beyond a crease angle."
  public static let discussion = """
    The normal of a vertex is the mean of those of its faces, weighted by their area (large faces \
    count more: good for scans) or by their angle at the vertex (does not depend on the \
    triangulation: good for models with long thin faces; Thürmer and Wüthrich 1998). With \
    `creaseAngle`, edges whose faces differ by more stay hard: the corners of a vertex then have \
    normals of their own, one for each group of faces between hard edges.

    Vertices that belong together but are doubled look like hard edges: run `weld` before it. Faces \
    wound the wrong way give normals that point inside: run `clean` before it. The normals of point \
    clouds stay as they are.
    """
  public static let example =
    #"{ "use": "compute-normals", "with": { "weight": "angle", "creaseAngle": "40deg" } }"#
  public static let dataFlow = StageDataFlow(needs: [.faces], makes: [.normals])

  public struct Parameters: StageParameters {
    @Parameter("How much each face counts in the normal of a vertex.")
    public var weight = Weight.area

    @Parameter(
      "Edges whose faces differ by more than this stay hard; without it the surface is smooth.",
      in: 0...Double.pi)
    public var creaseAngle: Angle? = nil

    public init() {}
  }

  /// The measure of a face in a mean of normals.
  public enum Weight: String, CaseIterable, ParameterValue {
    /// Its area.
    case area
    /// Its angle at the vertex.
    case angle
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    let up = Vector3(SIMD3<Float>(scene.coordinateSystem.up.vector))
    let weight: NormalWeight = parameters.weight == .area ? .area : .angle
    try scene.updateMeshes(in: context) { mesh in
      mesh.cornerNormals = nil
      mesh.normals = nil
      mesh.normals = mesh.vertexNormals(weight: weight, fallback: up)
      try context.checkCancellation()
      if let creaseAngle = parameters.creaseAngle {
        mesh.cornerNormals = mesh.cornerNormals(
          weight: weight, creaseAngle: creaseAngle.radians, fallback: up)
      }
    }
    return scene
  }
}
