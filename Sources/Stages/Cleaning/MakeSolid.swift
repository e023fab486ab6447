public import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// Makes a watertight solid from any faces, for printing and simulation.
public struct MakeSolid: Stage {
  public static let otherNames = [
    "solidify", "wrap", "alpha-wrap", "shrink-wrap", "voxel-remesh", "watertight", "thicken",
    "shell", "make-manifold",
  ]
  public static let summary =
    "Makes a watertight solid from any faces, for printing and simulation."
  public static let discussion = """
    A new surface is made on a sparse grid of voxels: dual contouring keeps sharp edges (Ju and others 2002), \
    and a vertex for each sheet of the surface in a voxel keeps it a manifold (Nielson 2004). The result is \
    closed and looks outward, whatever the faces have: holes, intersections, loose or inverted pieces.

    - **`method: wrap`** makes what the faces enclose solid: where their winding number is above one half \
    (Jacobson and others 2013; Barill and others 2018). Holes are closed smoothly, intersecting parts become \
    one, and faces inside go. Pieces are first turned outward by rays, as `clean` does. Faces that enclose \
    nothing, such as a loose sheet, get `thickness` behind them, but at least two voxels; parts thinner than a voxel become about two voxels \
    thick.
    - **`method: shell`** gives the faces `thickness` behind their visible side, which stays where it is; \
    holes stay, and borders end square. For rooms, and other skins.
    - **`method: auto`** makes a shell of an open surface that looks inward, as a room scanned from inside, and \
    wraps anything else. The report says which.
    - **`voxelSize`** is the edge of a voxel. What is smaller is lost, and time and memory grow with its \
    inverse square: what would take many minutes or more than 3 GB is refused. `auto` is half an edge of the faces, between 1/300 and 1/150 of the solid's extent, at most \
    half of `thickness` where 1/300 allows it, and for shells from 1/32 to 0.4 of `thickness`; wider, with a warning, where \
    that is too much work, as for many large faces across each other.
    - **`minimumSize`** removes smaller parts of the solid, as what only touched the others becomes one of its own, and fills \
    smaller cavities.
    - **`flatBase`** cuts off what is lowest, so that a print stands on a plane rather than on a few points: as much as it \
    takes for 2% of the footprint, but at most that length and half of `thickness`. Parts that end that little above it are \
    let down on it, as flat. The report has what was cut off as `baseCutMillimeters`.
    - **`floating`** says what becomes of parts in mid-air, which a printer would have to begin on nothing: those that neither \
    reach the base nor rest on others that do, within a thousandth of the extent. Overhangs and bridges of a part that \
    stands are none. `join` adds a round bar of `thickness`, at least 2.5 voxels, from each to the nearest part that stands, \
    or straight down to the base where that is nearer, also from what merely rests; a slicer may still need supports below. `drop` leaves them out, `keep` keeps \
    them. `auto` joins a part whose gap is at most half as wide as the part is long, such as a seat \
    whose thin legs the scan has lost, and leaves out others, such as a lamp without its ceiling. A warning says what was \
    done, and the report has `joinedParts`, `droppedParts`, `droppedVolume` as a share, and as `floatingParts` those that are \
    left. The base is at the lowest point, unless twice the volume stands at the bottom of the largest part: then what is lower is \
    in mid-air.

    All meshes become one. Classes, colours, confidences, materials and custom attributes are those of the \
    closest point; textures are dropped: bake them again, or as colours before.

    The report names the method and the reason, the resolution, the holes that were closed or stay open, the volume, the area that follows no \
    face (what closes holes, and the back of shells), and the mean and greatest distance from the solid to the faces that it \
    follows and from those to the solid.

    Run `weld` first when faces do not share vertices, and `remove-fragments` to leave loose parts out. \
    `decimate` after it takes out what is plane.
    """
  public static let example =
    #"{ "use": "make-solid", "with": { "method": "wrap", "voxelSize": "5%" } }"#
  public static let dataFlow = StageDataFlow(
    needs: [.faces], makes: [.faces],
    removes: [
      .normals, .textureCoordinates, .secondTextureCoordinates, .tangents, .textures,
    ])
  public static let relativeCost = 10.0

  public struct Parameters: StageParameters {
    @Parameter("Part that becomes solid.")
    public var method = Method.auto

    @Parameter(
      "Thickness of shells and of faces that enclose nothing, as a length or as a share of the extent; by default "
        + "1% for shells, but at least 2.5 voxels, and otherwise two voxels.",
      in: 0...Double.infinity)
    public var thickness: RelativeLength? = nil

    @Parameter(
      "Edge of a voxel, as a length or as a share of the extent; by default by the size of faces.",
      in: 0...Double.infinity, formerly: "resolution")
    public var voxelSize: RelativeLength? = nil

    @Parameter(
      "Minimum longest bounding box edge of a part, or of a cavity, that stays, unless all are smaller.",
      in: 0...Double.infinity)
    public var minimumSize = RelativeLength.length(Length(meters: 0))

    @Parameter(
      "Maximum height to cut off below for a flat base, as a length or as a share of the extent; nothing if absent.",
      in: 0...Double.infinity)
    public var flatBase: RelativeLength? = nil

    @Parameter("Treatment of parts that nothing carries.")
    public var floating = Floating.keep

    public init() {}
  }

  /// What becomes of parts that nothing carries.
  public enum Floating: String, CaseIterable, ParameterValue {
    /// Those near to others are joined, and others left out.
    case auto
    /// They are left out.
    case drop
    /// They are joined.
    case join
    /// They stay.
    case keep
  }

  /// What becomes solid.
  public enum Method: String, CaseIterable, ParameterValue {
    /// A shell of an open surface that looks inward; otherwise a wrap.
    case auto
    /// What faces enclose.
    case wrap
    /// What is behind faces.
    case shell
  }

  /// Why no solid can be made.
  public enum Failure: StageFailure, Equatable {
    /// No face has an area.
    case noFaces
    /// The voxels are too much work, or don't fit into memory.
    case tooFine(voxel: String, smallest: String, cost: String)
    /// A shell is thinner than two voxels.
    case tooThin(voxel: String, thickness: String)
    /// A shell is so thin that its voxels are too much work.
    case tooThinForWork(thickness: String, least: String)
    /// Everything is smaller than a voxel.
    case nothing(voxel: String)

    public var message: String {
      switch self {
      case .noFaces: "no face has an area; guard the stage with \"when\": \"faces > 0\""
      case .tooFine(let voxel, let smallest, let cost):
        "voxels of \(voxel) take \(cost) for this surface; use a 'voxelSize' of at least \(smallest)"
      case .tooThin(let voxel, let thickness):
        "a shell of \(thickness) needs at least 1.8 voxels, which are \(voxel); use a smaller "
          + "'voxelSize' or more 'thickness'"
      case .tooThinForWork(let thickness, let least):
        "a shell of \(thickness) needs voxels that are too many for this surface; use a 'thickness' of at least "
          + "\(least)"
      case .nothing(let voxel):
        "nothing is as large as a voxel of \(voxel); use a smaller 'voxelSize'"
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int {
    (parameters.method == .shell ? 140 : 240) * scene.faceCount
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard !scene.meshes.isEmpty else {
      try context.progress(1)
      return scene
    }
    let system = scene.coordinateSystem
    let extent = Double(scene.bounds.extent)
    let choice = choice(for: scene.meshes)
    let method = choice.method
    let base = SolidMaking.Base(
      up: system.up.vector, most: parameters.flatBase?.resolved(extent: extent, in: system) ?? 0,
      floating: parameters.floating.kernel)
    let options = SolidMaking.Options(
      method: method,
      voxel: parameters.voxelSize?.resolved(extent: extent, in: system),
      thickness: parameters.thickness?.resolved(extent: extent, in: system),
      minimumSize: parameters.minimumSize.resolved(extent: extent, in: system),
      base: asksForBase ? base : nil)
    let joined = Self.joined(&scene)
    // Its arrays go as soon as the kernel has its own.
    scene.meshes = []
    let flips = method == .wrap ? try SolidMaking.reversedFaces(of: joined, system) : nil
    // The hierarchies to come don't use what the heap keeps of the rays' arrays.
    if flips != nil { ProcessResources.giveBackMemory() }
    do {
      let result = try SolidMaking.run(consume joined, isFlipped: flips, options) {
        try context.progress($0)
      }
      warnOfThickness(result, options, system, in: context)
      if let finer = result.finerVoxel {
        context.warnOfWiderCells(
          "voxels", wanted: finer, taken: result.voxel, system,
          remedy: "'voxelSize' asks for others")
      }
      report(result, choice, system, to: context)
      if asksForBase { tell(of: result, system, to: context) }
      scene.meshes = [result.mesh]
      scene.dropTextures()
    } catch let failure as SolidMaking.Failure {
      throw Failure(failure, system)
    }
    try context.progress(1)
    return scene
  }

  private var asksForBase: Bool { parameters.flatBase != nil || parameters.floating != .keep }

  private func warnOfThickness(
    _ result: SolidMaking.Result, _ options: SolidMaking.Options, _ system: CoordinateSystem,
    in context: StageContext
  ) {
    guard let wanted = options.thickness, let made = result.thickness, made > 1.01 * wanted else {
      return
    }
    func text(_ units: Double) -> String {
      "\(NumberText.fixed(Length(units: units, in: system).meters * 1000, digits: 2)) mm"
    }
    context.warn(
      """
      what encloses nothing is \(text(made)) thick rather than \(text(wanted)), since it needs two voxels; \
      a 'voxelSize' of half the thickness makes it as thin as that
      """)
  }

  /// The method, and why if the meshes decide on it.
  private func choice(
    for meshes: [Mesh]
  ) -> (method: SolidMaking.Method, reason: String?) {
    switch parameters.method {
    case .auto:
      let choice = SolidMaking.choice(for: meshes)
      return (choice.method, choice.reason)
    case .wrap: return (.wrap, nil)
    case .shell: return (.shell, nil)
    }
  }

  /// The meshes of a scene as one, with neutral values for what some of them lack.
  private static func joined(_ scene: inout Scene) -> Mesh {
    guard scene.meshes.count != 1 else { return scene.meshes[0] }
    if scene.meshes.contains(where: { $0.faceMaterials != nil }) {
      scene.materials.append(Material(name: "default"))
    }
    return Mesh(
      joining: scene.meshes, fillsMissing: true,
      neutralMaterial: UInt32(max(0, scene.materials.count - 1)),
      up: Vector3(SIMD3<Float>(scene.coordinateSystem.up.vector)))
  }

  private func report(
    _ result: SolidMaking.Result, _ choice: (method: SolidMaking.Method, reason: String?),
    _ system: CoordinateSystem, to context: StageContext
  ) {
    let isWrap = choice.method == .wrap
    context.note("method", (isWrap ? "wrap" : "shell").json)
    if let reason = choice.reason { context.note("reason", reason.json) }
    func note(_ key: String, _ units: Double) {
      context.note(key, Length(units: units, in: system).millimeters(digits: 3))
    }
    func square(_ area: Double) -> JSONValue {
      Area(units: area, in: system).squareMeters.json(digits: 6)
    }
    note("resolutionMillimeters", result.voxel)
    if let thickness = result.thickness { note("thicknessMillimeters", thickness) }
    if parameters.flatBase != nil { note("baseCutMillimeters", result.baseCut) }
    context.note("parts", result.parts.json)
    context.note("closedHoles", (isWrap ? result.holes : 0).json)
    context.note("openHoles", (isWrap ? 0 : result.holes).json)
    let meters = Length(units: 1, in: system).meters
    let liters = result.deviation.volume * meters * meters * meters * 1000
    context.note("volumeLiters", liters.json(digits: 3))
    context.note("areaSquareMeters", square(result.deviation.area))
    context.note("newAreaSquareMeters", square(result.deviation.newArea))
    let new = result.deviation.newArea / max(result.deviation.area, .leastNormalMagnitude)
    let holes = "holes: \(result.holes) \(isWrap ? "closed" : "open")"
    let share = NumberText.fixed(100 * new, digits: 0)
    let floating = asksForBase ? result.floating.words : ""
    context.note("summary", "\(holes), \(share)% new surface\(floating)".json)
    note("meanDeviationMillimeters", result.deviation.mean)
    note("greatestDeviationMillimeters", result.deviation.greatest)
    note("meanDeviationOfInputMillimeters", result.deviation.meanOfInput)
    note("greatestDeviationOfInputMillimeters", result.deviation.greatestOfInput)
  }
}

extension MakeSolid.Failure {
  fileprivate init(_ failure: SolidMaking.Failure, _ system: CoordinateSystem) {
    func text(_ units: Double) -> String {
      let millimeters = Length(units: units, in: system).meters * 1000
      // Rounded up, so that what is named is enough.
      return "\(NumberText.fixed((millimeters * 1000 - 1e-6).rounded(.up) / 1000, digits: 3)) mm"
    }
    self =
      switch failure {
      case .noFaces: .noFaces
      case .tooFine(let voxel, let smallest, let cost):
        .tooFine(voxel: text(voxel), smallest: text(smallest), cost: cost.text)
      case .tooThin(_, let thickness, let least?):
        .tooThinForWork(thickness: text(thickness), least: text(least))
      case .tooThin(let voxel, let thickness, nil):
        .tooThin(voxel: text(voxel), thickness: text(thickness))
      case .nothing(let voxel): .nothing(voxel: text(voxel))
      }
  }
}
