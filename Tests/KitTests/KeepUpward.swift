import Foundation
import MeshpipeKit

/// Keeps the faces that point up, such as floors and table tops.
struct KeepUpward: Stage {
  static let summary = "Keeps the faces that point up, such as floors and table tops."
  static let discussion = """
    A face stays if its normal is within `tolerance` of the scene's up axis. Meshes keep their \
    attributes, and lose the vertices that no face uses.
    """
  static let example = #"{ "use": "keep-upward", "with": { "tolerance": "15deg" } }"#
  static let dataFlow = StageDataFlow(needs: [.faces])

  struct Parameters: StageParameters {
    @Parameter("Largest angle between normal and up axis.", in: .degrees(0...90))
    var tolerance = Angle(degrees: 10)

    @Parameter("Smallest area that has to stay, or the stage fails.", in: 0...Double.infinity)
    var minimumArea: Area? = nil
  }

  /// Why the stage can't go on.
  enum Failure: StageFailure {
    case tooLittle(Area)

    var message: String {
      switch self {
      case .tooLittle(let area):
        "only \(area.squareMeters) m² point up; if the scan is not upright, run 'convert-axes' first"
      }
    }
  }

  let parameters: Parameters
  init(_ parameters: Parameters) { self.parameters = parameters }

  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    let system = scene.coordinateSystem
    let up = system.up.vector
    let least = cos(parameters.tolerance.radians)
    var area = 0.0
    try scene.updateMeshes(in: context) { mesh in
      let stays = (0..<mesh.faceCount).map { face in
        let normal = mesh.areaVector(ofFace: face)
        return normal.length > 0 && normal.dot(up) >= least * normal.length
      }
      mesh.keepFaces(stays)
      area += mesh.area
    }
    let kept = Area(units: area, in: system)
    if let least = parameters.minimumArea, kept < least { throw Failure.tooLittle(kept) }
    context.note("keptArea", kept.json)
    return scene
  }
}
