public import MeshPipeline
import Photogrammetry

/// Makes a mesh from the depth maps of a capture.
public struct FuseDepth: Stage {
  public static let otherNames = ["fusion", "tsdf", "reconstruct", "integrate"]
  public static let summary = "Makes a mesh from the depth maps of a capture."
  public static let discussion = """
    All depth maps are averaged in a truncated signed distance field on a sparse grid of voxels \
    (Curless and Levoy 1996; Nießner and others 2013), and the surface is extracted where the field is \
    zero, without cracks, doubled vertices or non-manifold edges (dual marching cubes; Nielson \
    2004).

    Noise is then taken out at all scales: errors of phones' depth maps are smooth over a dozen pixels, and \
    leave waves in a wall. What a scale adds to the next coarser one stays where it is more than the \
    noise of the depths that were averaged, so that edges and relief are kept (wavelet shrinkage; Donoho \
    and Johnstone 1994). Scales in whose cells the surface turns are left out, so that balls and poles \
    keep their size.

    A depth map is also off as a whole, by some thousandths of the depth that change slowly over the image \
    and from frame to frame. This bias is measured against the surface of all frames, and taken out before they \
    are averaged once more. In the means of many hundreds of depth maps little of it is left.

    A phone fuses its own mesh while it scans, in coarse voxels and with the poses of the moment. \
    The depth maps hold more: thin and small parts that the phone's mesh lacks.

    Depth maps from photographs (`estimate-depth`) are sharper, with errors that grow with the square of the depth, and     with outliers. They count by their own noise, so that both sides of a pole stay apart, and where two of them show     an outline, voxels are finer, of a half or a quarter of the width: legs, cables and edges get what the maps     resolve, and walls cost no more. Meshes of both meet without cracks.

    - **Poses**: errors of the poses blur the surface. Where the frames have images, run \
    `fuse-depth`, `refine-poses`, then `fuse-depth` again.
    - **Weights**: a depth counts by the sensor's confidence, its distance, the angle at which the \
    surface was seen, and the distance to edges of the depth map. The mixed depths of pixels at edges \
    are ignored; such a pixel continues the surface that its depth is nearer to.
    - **Glass** is closed where some depths show it: pixels whose depth is not believed, or missing, continue a plane \
    that surrounds them.
    - **Free space**: what frames see through is removed, such as people who walked by.
    - **Sessions**: where one session of a joined capture shows surface that another one sees through, such as a chair \
    that was moved or a door that was opened, the session that comes last in the order of the inputs decides. \
    `changedSurface` in the report says between which sessions, and how much.
    - **Classes** are those of the scan's own mesh where it is nearer than 5 cm, and elsewhere those of \
    the plane that goes on.
    - **The better mesh**: `mode=better` looks up the depths in both meshes, within 1 cm and 1 %. The new one takes \
    the place of the scan's own if at least 1 % more of the depths lie on it, and if depths were measured at 90 % of \
    the scan's own: what was not measured there must be less than what the new one adds. A mesh that floats before its \
    depth maps is replaced in any case. The report has both shares, and which mesh was kept.
    - **Memory** grows with the surface and not with the number of frames: about 2 MB for a square \
    metre at 1 cm.
    """
  public static let example = #"{ "use": "fuse-depth", "with": { "voxelSize": "1cm" } }"#
  public static let dataFlow = StageDataFlow(
    needs: [.depthMaps], makes: [.faces, .normals, .confidences],
    removes: [
      .colors, .textureCoordinates, .secondTextureCoordinates, .tangents, .materials, .textures,
      .customAttributes,
    ])
  public static let relativeCost = 10.0

  public static func remedy(for fault: SceneFault) -> String? {
    fault == .noMesh ? name : nil
  }

  public struct Parameters: StageParameters {
    @Parameter("Treatment of the scene's meshes.")
    public var mode = Mode.replace

    @Parameter(
      "Edge of a voxel; by default the median width of a depth pixel on the surface, and at least 0.65 times the "
        + "'noise' at its distance.",
      in: 1e-4...10, scope: .detail, formerly: "voxel")
    public var voxelSize: Length? = nil

    @Parameter(
      "Edge of a voxel at thin parts and edges, about: a half or a quarter of the others'; by default what depth maps "
        + "from photographs resolve there, and without such maps none.",
      in: 1e-4...10, scope: .detail)
    public var fineVoxelSize: Length? = nil

    @Parameter("Maximum depth that is used.", in: 0.2...1000, scope: .free)
    public var maximumDepth = Length(meters: 5)

    @Parameter(
      "Minimum confidence of depths that are used: 0 is low, 1 medium, 2 high.", in: 0...2)
    public var minimumConfidence = 1

    @Parameter(
      "Minimum weight of the surface. A good depth at 1 m has weight 1, one at 3 m 0.25; grazing ones and "
        + "those of medium confidence have less.", in: 0...1000)
    public var minimumWeight = 0.05

    @Parameter(
      "Minimum number of frames whose depths agree with the surface to a few voxels; more than one leaves out "
        + "what a single frame claims.", in: 1...255, formerly: "minimumFrames")
    public var minimumViews = 1

    @Parameter(
      "Standard deviation of a good depth at 1 m: what is within it is smoothed. 0 for exact depths.",
      in: 0...1)
    public var noise = Length(meters: 0.004)

    @Parameter(
      "Take out of each depth map how it differs from all others in a smooth way; by default for up to 500 "
        + "depth maps that are at least 128 pixels wide, with 'noise'.")
    public var removeBias: Bool? = nil

    public init() {}
  }

  /// What becomes of the meshes that the scene has.
  public enum Mode: String, CaseIterable, ParameterValue {
    /// The new mesh replaces them, and takes their classes.
    case replace
    /// They stay, as one mesh; new surface is added where they have none, and joined to their borders.
    case complete
    /// They stay, and the new mesh stands beside them.
    case add
    /// The new mesh replaces them if the measured depths lie on it clearly more often, and little of what they cover
    /// is lost.
    case better
  }

  /// Why there is nothing to fuse.
  public enum Failure: StageFailure, Equatable {
    /// No frame has a depth map.
    case noDepthMaps(frames: Int, unread: Int = 0)

    public var message: String {
      switch self {
      case .noDepthMaps(let frames, let unread):
        DepthMapMessages.noDepthMaps(frames: frames, unread: unread)
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard !scene.meshes.isEmpty || !scene.pointClouds.isEmpty || scene.capture != nil else {
      try context.progress(1)
      return scene
    }
    let frames = scene.capture?.allDepthFrames ?? []
    guard !frames.isEmpty else {
      throw Failure.noDepthMaps(
        frames: scene.capture?.frames.count ?? 0,
        unread: scene.capture?.origin?.unreadDepthCount ?? 0)
    }
    var settings = DepthFusion.Settings(
      voxel: parameters.voxelSize?.meters, maximumDepth: parameters.maximumDepth.meters,
      minimumConfidence: parameters.minimumConfidence, minimumWeight: parameters.minimumWeight,
      minimumFrames: parameters.minimumViews, noise: parameters.noise.meters,
      removesBias: parameters.removeBias)
    settings.fineVoxel = parameters.fineVoxelSize?.meters
    let result = try DepthFusion(frames, scene.coordinateSystem, settings).fused {
      try context.progress($0)
    }
    note(result.changes, between: scene.capture?.sessions ?? [], in: context)
    let scan = parameters.mode == .better ? copy scene : nil
    try put(result, into: &scene, context)
    try context.progress(1)
    if let scan, isWorse(scene, than: scan, context) { return scan }
    report(result, to: context)
    return scene
  }

  /// What a new mesh must add to the share of the depths that lie on the scan's: less is chance.
  private static let leastGain = 0.01

  /// Whether the scan's own mesh stays, as the depth maps say of both.
  ///
  /// Where these measured a part of it only, a new mesh must add more than it may lose. A mesh that floats before its depth
  /// maps is worse in any case.
  private func isWorse(
    _ scene: Scene, than scan: Scene, _ context: StageContext
  ) -> Bool {
    guard let old = DepthCoverage(scan), let new = DepthCoverage(scene) else {
      return scan.faceCount > 0
    }
    let loss = 1 - old.surfaceMeasured
    let isWorse =
      DepthOffset(scan)?.isContradiction != true
      && (old.surfaceMeasured < DepthCoverage.leastMeasured
        || new.depthsOnSurface < old.depthsOnSurface + max(Self.leastGain, loss))
    context.note("depthsOnScan", old.depthsOnSurface.json(digits: 4))
    context.note("depthsOnSurface", new.depthsOnSurface.json(digits: 4))
    context.note("scanMeasured", old.surfaceMeasured.json(digits: 4))
    context.note("kept", JSONValue(.string(isWorse ? "scan" : "depth")))
    return isWorse
  }

  private func put(
    _ result: DepthFusion.Result, into scene: inout Scene, _ context: StageContext
  ) throws {
    let system = scene.coordinateSystem
    let up = Vector3(SIMD3<Float>(system.up.vector))
    var mesh = result.mesh
    mesh.name = scene.meshes.first?.name ?? scene.name
    let material = parameters.mode == .complete ? neutralMaterial(in: &scene) : 0
    var meshes: [Mesh] = []
    swap(&meshes, &scene.meshes)
    guard !meshes.isEmpty else {
      scene.meshes = [mesh]
      return
    }
    if parameters.mode == .add { scene.meshes = meshes }
    let scan =
      meshes.count == 1
      ? meshes[0]
      : Mesh(joining: meshes, fillsMissing: true, neutralMaterial: material, up: up)
    try context.checkCancellation()
    guard parameters.mode == .complete else {
      mesh.takeClasses(of: scan, system)
      scene.meshes.append(mesh)
      if parameters.mode != .add { (scene.materials, scene.textures) = ([], []) }
      return
    }
    let completed = scan.completed(
      by: mesh, system, voxel: result.voxel, material: material, up: up)
    context.note("addedFaces", (completed.faceCount - scan.faceCount).json)
    scene.meshes = [completed]
  }

  /// The material of new faces, where others have one.
  private func neutralMaterial(in scene: inout Scene) -> UInt32 {
    guard scene.meshes.contains(where: { $0.faceMaterials != nil }) else { return 0 }
    scene.materials.append(Material(name: "default"))
    return UInt32(scene.materials.count - 1)
  }

  /// Says which sessions contradict each other, and on how much surface in square metres.
  private func note(
    _ changes: [SessionChanges.Contradiction], between sessions: [String], in context: StageContext
  ) {
    guard !changes.isEmpty else { return }
    func name(_ session: Int) -> JSONValue {
      sessions.indices.contains(session) ? sessions[session].json : session.json
    }
    let entries = changes.map { change -> JSONValue in
      [
        "changedAfter": name(change.earlier), "takenFrom": name(change.later),
        "squareMeters": change.area.json(digits: 3),
      ]
    }
    context.note("changedSurface", JSONValue(.array(entries)))
  }

  private func report(_ result: DepthFusion.Result, to context: StageContext) {
    context.note("voxelMillimeters", (result.voxel * 1000).json(digits: 2))
    if let fine = result.fineVoxel {
      context.note("fineVoxelMillimeters", (fine * 1000).json(digits: 2))
    }
    context.note("depthMaps", result.frameCount.json)
    if let finer = result.finerVoxel {
      context.warnOfWiderCells(
        "voxels", wanted: finer, taken: result.voxel, .arkit,
        remedy: "'maximumDepth' leaves out what is far, for narrower ones")
    }
    if let bias = result.bias {
      context.note("biasMillimeters", (1000 * Double(bias)).json(digits: 2))
    }
    if let first = result.contradictions.max(by: { $0.share < $1.share }) {
      context.note("contradictedMaps", result.contradictions.count.json)
      context.warn(
        "frames contradict the others (\(result.contradictions.count)): "
          + "\(NumberText.fixed(100 * first.share, digits: 0)) % of the depths of '\(first.frame)' are "
          + "elsewhere than the surface; their poses are wrong, or something moved: refine the poses, or "
          + "leave these frames out")
    }
    context.warn(ofDepthMaps: result.faults)
  }
}

extension DepthFusion.Failure: StageFailure {
  /// The problem, and the options of the stage that are the way out.
  package var message: String {
    func text(_ voxel: Double) -> String { "\(NumberText.fixed(voxel * 1000, digits: 1)) mm" }
    return switch self {
    case .noDepth(let reason): DepthMapMessages.noDepth(reason: reason)
    case .tooFar(let frame):
      "frame '\(frame)' is a million blocks of voxels away from the origin; check the unit of the "
        + "poses, or use a larger 'voxelSize'"
    case .tooManyBlocks(let voxel):
      "voxels of \(text(voxel)) need more than 4 GB for this surface; use a larger 'voxelSize', or a "
        + "smaller 'maximumDepth'"
    case .noSurface(let voxel):
      "the depth maps give no surface with voxels of \(text(voxel)); use a smaller 'voxelSize', "
        + "'minimumWeight' or 'minimumViews'"
    }
  }
}
