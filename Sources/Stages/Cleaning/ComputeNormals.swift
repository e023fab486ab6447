public import MeshPipeline
import Photogrammetry
import SurfaceKernels

/// Computes normals from the faces, smooth everywhere or with hard edges beyond a crease angle.
public struct ComputeNormals: Stage {
  public static let otherNames = ["normals", "recalculate-normals", "smooth-normals"]
  public static let summary =
    "Computes normals from the faces, smooth everywhere or with hard edges beyond a crease angle."
  public static let discussion = """
    The normal of a vertex is the mean of its faces' normals, weighted by area or by angle at \
    the vertex. With `creaseAngle`, edges whose faces differ by more stay hard: the corners of a \
    vertex then have separate normals, one for each group of faces between hard edges.

    Area weights favour large faces, which suits scans. Angle weights do not depend on the \
    triangulation, which suits models with long thin faces (Thürmer and Wüthrich 1998).

    Duplicated vertices look like hard edges: run `weld` first. Faces with reversed winding give \
    normals that point inward: run `clean` first. Tangents, which belong to the old normals, are \
    removed. The normals of point clouds are left unchanged.
    """
  public static let example =
    #"{ "use": "compute-normals", "with": { "weight": "angle", "creaseAngle": "40deg" } }"#
  public static let dataFlow = StageDataFlow(
    needs: [.faces], makes: [.normals], removes: [.tangents])

  public struct Parameters: StageParameters {
    @Parameter("Weight of each face in the normal of a vertex.")
    public var weight = Weight.area

    @Parameter(
      "Edges whose faces differ by more than this stay hard; if absent, the surface is smooth.",
      in: 0...Double.pi)
    public var creaseAngle: Angle? = nil

    public init() {}
  }

  /// The weight of a face in a mean of normals.
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
      // Programs compute tangents from normals and texture coordinates where a file has none.
      mesh.tangents = nil
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
