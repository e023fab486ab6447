public import MeshPipeline
import Photogrammetry
import SurfaceKernels

/// Removes small connected components, such as specks that float around a scan.
public struct RemoveFragments: Stage {
  public static let otherNames = ["remove-islands", "remove-components", "despeckle"]
  public static let summary =
    "Removes small connected components, such as specks that float around a scan."
  public static let discussion = """
    Faces that share an edge are connected, so run `weld` first. A part stays when it reaches \
    every given limit and, with `maximumParts`, is among the largest by area in the whole scene.

    Of a soup of loose faces everything is small: with `maximumLoss` nothing is removed if it were more than that \
    share of the area.

    Meshes that lose all faces are removed. Point clouds are left unchanged.
    """
  public static let example =
    #"{ "use": "remove-fragments", "with": { "minimumFaces": 50, "minimumSize": "10cm" } }"#

  public struct Parameters: StageParameters {
    @Parameter("Minimum number of faces of a part that stays.", in: 0...Double.infinity)
    public var minimumFaces: Int? = nil

    @Parameter("Minimum area of a part that stays.", in: 0...Double.infinity)
    public var minimumArea: Area? = nil

    @Parameter(
      "Minimum longest bounding box edge of a part that stays.", in: 0...Double.infinity
    )
    public var minimumSize: RelativeLength? = nil

    @Parameter(
      "Maximum number of parts that stay, the largest by area.", in: 1...Double.infinity,
      formerly: "keep")
    public var maximumParts: Int? = nil

    @Parameter(
      "Maximum share of the area that is removed; if it would be more, nothing is, with a warning.",
      in: 0...1)
    public var maximumLoss = 1.0

    public init() {}

    public func faults() -> [String] {
      guard minimumFaces == nil, minimumArea == nil, minimumSize == nil, maximumParts == nil else {
        return []
      }
      return [
        "give at least one of 'minimumFaces', 'minimumArea', 'minimumSize' and 'maximumParts'"
      ]
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  /// A connected component of one of the meshes.
  private struct Part {
    var mesh: Int
    var faces = 0
    var area = 0.0
    var box = Box()
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.warnOfPointsAlone(scene, work: "remove")
    try context.progress(0)
    var labels: [[UInt32]] = []
    var parts: [Part] = []
    var isWarned = false
    for (index, mesh) in scene.meshes.enumerated() {
      let components = FaceComponents(edges: Edges(mesh), faceCount: mesh.faceCount)
      try context.checkCancellation()
      if components.count == mesh.faceCount, mesh.faceCount >= 100 {
        context.warn(
          "mesh '\(mesh.name)' has no two faces that share an edge; run 'weld' before this stage")
        isWarned = true
      }
      parts += self.parts(of: mesh, index, components)
      labels.append(components.labels)
    }
    try context.progress(0.5)
    let staying = checked(staying(of: parts, scene), of: parts, isWarned: isWarned, in: context)
    var stays = labels.map { _ in [Bool]() }
    for (part, keep) in zip(parts, staying) { stays[part.mesh].append(keep) }
    try scene.keepMeshFaces(in: context, progress: 0.5...1) { mesh in
      labels[mesh].map { stays[mesh][Int($0)] }
    }
    context.note("removedParts", staying.count { !$0 }.json)
    context.note("keptParts", staying.count { $0 }.json)
    return scene
  }

  private func parts(of mesh: Mesh, _ index: Int, _ components: FaceComponents) -> [Part] {
    var parts = [Part](repeating: Part(mesh: index), count: components.count)
    for face in 0..<mesh.faceCount {
      let label = Int(components.labels[face])
      parts[label].faces += 1
      let area = mesh.area(ofFace: face)
      if area.isFinite { parts[label].area += area }
      for corner in 3 * face..<3 * face + 3 {
        let position = mesh.positions[Int(mesh.indices[corner])]
        if position.isFinite { parts[label].box.add(position.simd) }
      }
    }
    return parts
  }

  /// Keeps all parts if too much of the area would go.
  private func checked(
    _ staying: [Bool], of parts: [Part], isWarned: Bool, in context: StageContext
  ) -> [Bool] {
    let area = parts.reduce(0) { $0 + $1.area }
    let kept = zip(parts, staying).reduce(0) { $1.1 ? $0 + $1.0.area : $0 }
    let loss = area > 0 ? 1 - kept / area : 0
    let wayOut = "run 'weld' with a larger tolerance before, if they belong together"
    let percent = JSONValue.percentText(of: (loss * 100).rounded() / 100)
    guard loss <= parameters.maximumLoss else {
      context.warn(
        "\(percent) of the area is in parts below the limits, so that none is removed; \(wayOut), "
          + "or raise 'maximumLoss'")
      return staying.map { _ in true }
    }
    if loss > Self.unusualLoss, parameters.maximumParts == nil, !isWarned {
      context.warn("removes \(percent) of the area in \(staying.count { !$0 }) parts; \(wayOut)")
    }
    return staying
  }

  /// More of the area is unlikely to be specks.
  private static let unusualLoss = 0.5

  private func staying(of parts: [Part], _ scene: borrowing Scene) -> [Bool] {
    let system = scene.coordinateSystem
    let size = parameters.minimumSize?.resolved(
      extent: Double(scene.bounds.extent), in: system)
    var staying = parts.map { part in
      part.faces >= parameters.minimumFaces ?? 0
        && Area(units: part.area, in: system) >= parameters.minimumArea ?? Area(squareMeters: 0)
        && Double(part.box.extent) >= size ?? 0
    }
    if let count = parameters.maximumParts {
      let bySize = parts.indices.filter { staying[$0] }
        .sorted { (parts[$1].area, $0) < (parts[$0].area, $1) }
      for part in bySize.dropFirst(count) { staying[part] = false }
    }
    return staying
  }
}
