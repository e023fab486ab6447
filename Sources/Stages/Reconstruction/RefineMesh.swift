public import MeshPipeline
import Photogrammetry
import SurfaceKernels

/// Moves the vertices of a mesh, so that the images of all frames agree on them.
public struct RefineMesh: Stage {
  public static let otherNames = ["photometric-refinement", "refinemesh"]
  public static let summary = "Moves the vertices of a mesh, so that the photographs agree on them."
  public static let discussion = """
    Each vertex moves along its normal to where the images of all frames that see it correlate best, from \
    coarse to fine images (after Vu, Labatut, Pons and Keriven 2012). A thin plate holds the surface \
    together where the images are plain.

    Depth sensors are off by some millimetres over whole walls, and photographs show details that depth maps \
    do not resolve. Run it after `refine-poses`: errors of the poses would become errors of the surface.

    - **Comparison**: windows of 7 by 7 pixels on the tangent plane of each vertex, by normalised correlation over \
    all pairs of up to 8 frames. Exposure and white balance do not matter; a frame that disagrees with \
    the others, because it is blurred, or something stands before the surface, is left out. Lens distortion, refined \
    poses and warps are taken into account.
    - **Depth** remains the reference: the mesh's own position counts against the images, and no vertex moves \
    farther than `maximumShift`.
    - **Plain walls** get smoother, not noisier: images count by how exactly their texture fixes the height. \
    Creases and borders are not smoothed; a curved surface keeps its curvature.
    - **Faces** stay as they are: the mesh is not subdivided. Details finer than its edges are not made.
    - **Cost**: about a second of one core for 30,000 vertices, each seen by a dozen frames.
    """
  public static let example = #"{ "use": "refine-mesh", "with": { "maximumShift": "2cm" } }"#
  public static let dataFlow = StageDataFlow(needs: [.faces, .frames])
  public static let relativeCost = 30.0

  public struct Parameters: StageParameters {
    @Parameter("Maximum distance that a vertex moves.", in: 0...1, scope: .detail)
    public var maximumShift = Length(meters: 0.02)

    @Parameter(
      "Wavelength below which noise is smoothed where images are plain; by default five edges of the mesh.",
      in: 1e-4...1)
    public var smoothing: Length? = nil

    @Parameter(
      "Image width in pixels at the finest scale; less for very many frames.", in: 64...4096)
    public var width = 960

    @Parameter("Ignore image areas that the depth map shows not to be part of the mesh.")
    public var useDepth = true

    public init() {}
  }

  /// Why a mesh can't be refined.
  public enum Failure: StageFailure, Equatable {
    /// The scan has only points.
    case noFaces

    public var message: String {
      switch self {
      case .noFaces:
        "the scan has points but no faces, which could be moved; guard the stage with "
          + "\"when\": \"frames and faces\""
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard scene.faceCount > 0 || scene.pointCount == 0 else { throw Failure.noFaces }
    guard let frames = scene.capture?.frames, scene.faceCount > 0 else {
      try context.progress(1)
      return scene
    }
    let surface = try ObservedSurface(scene)
    let (indices, scale) = (surface.indices, surface.scale)
    let sources = frames.count > 1 ? try images(frames, of: surface, in: context) : []
    guard sources.count > 1 else {
      context.warn(
        "the mesh stays as it is: at least two frames with readable images must show the same "
          + "surface, and there are \(frames.count == 1 ? 1 : sources.count)")
      try context.progress(1)
      return scene
    }
    let result = try MeshRefiner(sources, settings(scale)).refined(consume surface) {
      try context.progress(0.2 + 0.8 * $0)
    }
    guard result.determined > 0 else {
      context.warn(
        "the mesh stays as it is: no two frames show the same textured part of it from different "
          + "directions; check that poses and mesh fit, with 'info'")
      try context.progress(1)
      return scene
    }
    scene.move(to: result.positions, indices)
    report(result, scale, to: context)
    try context.progress(1)
    return scene
  }

  private func images(
    _ frames: [Capture.Frame], of surface: ObservedSurface, in context: StageContext
  ) throws -> [PoseRefiner.Source] {
    let images = FrameSources(
      surface: surface, width: parameters.width, maskWidth: Self.maskWidth,
      usesDepth: parameters.useDepth, withoutImage: "is left out")
    return try images.load(frames, in: context).compactMap(\.self)
  }

  private func settings(_ scale: MetricScale) -> MeshRefiner.Settings {
    MeshRefiner.Settings(
      maximumShift: scale.units(meters: Float(parameters.maximumShift.meters)),
      smoothing: parameters.smoothing.map { scale.units(meters: Float($0.meters)) },
      width: parameters.width)
  }

  /// The width of the maps that tell occluded places: fine enough for legs of chairs.
  private static let maskWidth = 240

  private func report(
    _ result: MeshRefiner.Result, _ scale: MetricScale, to context: StageContext
  ) {
    func millimeters(_ units: Float) -> JSONValue {
      Double(scale.millimeters(units)).json(digits: 3)
    }
    let share = Double(result.determined) / Double(max(result.positions.count, 1))
    context.note("determinedPercent", (100 * share).json(digits: 1))
    context.note("shiftMillimeters", millimeters(result.shifts.median() ?? 0))
    context.note("greatestShiftMillimeters", millimeters(result.shifts.max() ?? 0))
  }
}

extension Scene {
  /// Moves the vertices of all faces, and recomputes normals where there are some.
  ///
  /// - Parameters:
  ///   - positions: Of the vertices of the welded surface.
  ///   - indices: The vertex of each corner, mesh by mesh.
  fileprivate mutating func move(to positions: [Vector3], _ indices: [UInt32]) {
    var corner = 0
    for mesh in meshes.indices {
      for vertex in meshes[mesh].indices {
        meshes[mesh].positions[Int(vertex)] = positions[Int(indices[corner])]
        corner += 1
      }
      if meshes[mesh].normals != nil || meshes[mesh].cornerNormals != nil {
        meshes[mesh].normals = meshes[mesh].vertexNormals(
          weight: .angle, fallback: Vector3(0, 1, 0))
        meshes[mesh].cornerNormals = nil
        meshes[mesh].tangents = nil
      }
    }
  }
}
