/// What writing may ask of, and tell to, the run that it is part of.
public struct WritingContext: Sendable {
  public let stage: StageContext
  /// Options of the output in the pipeline that the format understands, such as `ascii`.
  public var options: [String: JSONValue]
  /// False when the user was told of the axes already, as the checker of a pipeline does.
  public var warnsOfAxes = true
  /// The stage that mends a fault of a scene, as on the command line; nil when there is none.
  public var remedy: @Sendable (SceneFault) -> String? = { _ in nil }

  public init(stage: StageContext = StageContext(), options: [String: JSONValue] = [:]) {
    self.stage = stage
    self.options = options
  }

  /// The options of a format, those that are not given with their defaults.
  ///
  /// - Throws: ``InvalidFormatOption`` for an option that the format lacks, or a value that is none.
  public func options<Format: WritableFormat>(
    of format: Format.Type
  ) throws(InvalidFormatOption) -> Format.Options {
    let names = Format.Options.declarations.map(\.name)
    if let unknown = options.keys.sorted().first(where: { !names.contains($0) }) {
      throw InvalidFormatOption(
        format: format.id, option: unknown, fault: "there is no such option")
    }
    var fault: InvalidFormatOption?
    let members = options.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
    let decoded = Format.Options.decode(members) { name, _, message in
      fault = fault ?? InvalidFormatOption(format: format.id, option: name ?? "", fault: message)
    }
    if let fault { throw fault }
    return decoded
  }

  /// Tells the user, once and in one sentence, what the scene has and the format can't hold.
  public func warnOfLosses(of scene: Scene, in format: any WritableFormat.Type) {
    warnOfLosses(of: scene, keeping: format.keeps, in: format.name)
  }

  /// Tells the same of a format that is no type.
  public func warnOfLosses(of scene: Scene, keeping keeps: Set<SceneFeature>, in name: String) {
    // The frames of a capture belong to the scan, not to the model that is made of it.
    let lost = scene.features.subtracting(keeps).subtracting([.frames]).sorted()
    guard !lost.isEmpty else { return }
    let names = lost.map(\.words).joined(separator: ", ")
    stage.warn("\(name) can't hold everything: lost are \(names)")
  }

  /// Tells the user when programs will not take the model's up for up.
  public func warnOfAxes(of scene: Scene, in format: any WritableFormat.Type) {
    warnOfAxes(of: scene, format.axes, in: format.name)
  }

  /// Tells the same of a format that is no type.
  public func warnOfAxes(of scene: Scene, _ axes: AxisConvention, in name: String) {
    guard warnsOfAxes, case .undeclared(let usual) = axes else { return }
    let system = scene.coordinateSystem
    guard system.up != usual.up || system.handedness != usual.handedness else { return }
    let up = "\(usual.up)".uppercased()
    let wayOut = remedy(.upAxis(usual.up)).map { "put '\($0)' before it, or " } ?? ""
    stage.warn(
      """
      \(name) says nothing about axes and most programs take \(up) as up, but the model's up \
      is \(system.up.rawValue.uppercased()): \(wayOut)choose the up axis when importing
      """)
  }
}

/// An option of an output that its format does not have, or can't be so.
public struct InvalidFormatOption: UserError, Equatable {
  public var format: String
  public var option: String
  public var fault: String

  public init(format: String, option: String, fault: String) {
    self.format = format
    self.option = option
    self.fault = fault
  }

  public var exitCode: ExitCode { .configuration }
  public var message: String { "option '\(option)' of format '\(format)': \(fault)" }
}

/// Why a scene can't become a file of a format.
public enum UnwritableScene: UserError, Equatable {
  case nothingToWrite(format: String, holds: String)
  /// With the stage that mends it, if there is one.
  case positionNotFinite(mesh: String, vertex: Int, remedy: String?)
  case tooLarge(format: String, limit: String)

  public var exitCode: ExitCode { .data }

  public var message: String {
    switch self {
    case .nothingToWrite(let format, let holds):
      "there is nothing to write: \(format) holds \(holds), and the scene has none"
    case .positionNotFinite(let mesh, let vertex, let remedy):
      "vertex \(vertex) of '\(mesh)' has a coordinate that is not a finite number"
        + (remedy.map { "; put '\($0)' before the output" } ?? "")
    case .tooLarge(let format, let limit):
      "the scene is too large for \(format), which ends at \(limit)"
    }
  }
}

extension WritingContext {
  /// Throws when a coordinate is infinite or not a number, which no format can hold.
  public func requireFinitePositions(of scene: Scene) throws(UnwritableScene) {
    func check(_ positions: [Vector3], _ name: String) throws(UnwritableScene) {
      guard let vertex = positions.firstIndex(where: { !$0.isFinite }) else { return }
      throw .positionNotFinite(mesh: name, vertex: vertex, remedy: remedy(.brokenNumbers))
    }
    for mesh in scene.meshes { try check(mesh.positions, mesh.name) }
    for cloud in scene.pointClouds { try check(cloud.positions, cloud.name) }
  }
}
