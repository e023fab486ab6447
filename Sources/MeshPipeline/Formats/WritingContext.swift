import MeshpipeBase
import MeshpipeScene

/// The context of writing within a run.
public struct WritingContext: Sendable {
  /// Warnings, cancellation and the report of the run.
  public let stage: StageContext
  /// The format's options given in the pipeline, such as `ascii`.
  public var options: [String: JSONValue]
  /// Lighter levels of the scene for the same file, each lighter than the one before; only for a
  /// format that ``WritableFormat/holdsLevels``.
  package var lighterLevels: [Scene] = []
  /// The features that may be lost without a warning.
  package var expectedLosses: Set<SceneFeature> = []
  /// False if the user was already warned about the axes, as by the pipeline checker.
  package var warnsOfAxes = true
  /// What made the output, to be written into it; nil to write nothing.
  package var provenance: Provenance?
  /// Whether pictures that are copied lose what they say beside their pixels.
  package var isPrivate = false
  /// The stage that corrects a fault of a scene, as on the command line; nil if there is none.
  package var remedy: @Sendable (SceneFault) -> String? = { _ in nil }

  /// Creates a context.
  ///
  /// - Parameter options: The values of the options of the format, by name; others have defaults.
  public init(stage: StageContext = StageContext(), options: [String: JSONValue] = [:]) {
    self.stage = stage
    self.options = options
  }

  /// The options of a format, with defaults for those not given.
  ///
  /// - Throws: ``InvalidFormatOption`` for an unknown option or an invalid value.
  public func options<Format: WritableFormat>(
    of format: Format.Type
  ) throws(InvalidFormatOption) -> Format.Options {
    let names = Format.Options.declarations.map(\.name)
    if let unknown = options.keys.sorted().first(where: { !names.contains($0) }) {
      throw InvalidFormatOption(
        format: format.id, option: unknown, fault: "unknown option")
    }
    var fault: InvalidFormatOption?
    let members = options.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
    let decoded = Format.Options.decode(members) { name, _, message in
      fault = fault ?? InvalidFormatOption(format: format.id, option: name ?? "", fault: message)
    }
    if let fault { throw fault }
    return decoded
  }

  /// Warns the user, once and in one sentence, of features of the scene that the format can't hold, and of a place on a map
  /// that it loses.
  public func warnOfLosses(of scene: Scene, in format: any WritableFormat.Type) {
    warnOfLosses(of: scene, keeping: format.keeps, in: format.name)
    guard !format.addsOrigin, scene.origin != .zero else { return }
    stage.warn(
      """
      \(format.name) gets coordinates relative to (\(scene.origin.shortText)), which is lost; LAS, OBJ, PLY, PTS and XYZ outputs \
      add it again
      """)
  }

  /// The same for a format given as a value.
  package func warnOfLosses(of scene: Scene, keeping keeps: Set<SceneFeature>, in name: String) {
    var missing = scene.features.subtracting(keeps)
      .subtracting(SceneFeature.ofMeasurements.union(expectedLosses))
    if missing.contains(.tangents), keeps.isSuperset(of: [.normals, .textureCoordinates]),
      !scene.meshes.contains(where: \.hasTangentsOfItsOwn)
    {
      missing.remove(.tangents)
    }
    let lost = missing.sorted()
    guard !lost.isEmpty else { return }
    let names = lost.map { feature in
      let parts =
        switch feature {
        case .customAttributes: scene.customAttributeNames()
        case .surfaceMaps: scene.surfaceMaps.map(\.kind.rawValue)
        default: [String]()
        }
      return feature.words + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))")
    }
    let kind = lost.contains(.surfaceMaps) ? scene.surfaceMaps.first?.kind : nil
    let wayOut =
      kind.map { "; an output whose name ends with .\($0.rawValue).png writes such a map" } ?? ""
    stage.warn(
      "\(name) can't hold everything: \(names.joined(separator: ", ")) will be lost\(wayOut)")
  }

  /// Warns the user of custom attributes of elements for which the format has no place.
  package func warnOfLosses(
    of scene: Scene, ofCustomAttributesOf elements: Set<AttributeElement>, in name: String
  ) {
    let lost = scene.customAttributeNames(of: elements)
    guard !lost.isEmpty, !expectedLosses.contains(.customAttributes) else { return }
    let places = elements.map(\.rawValue).sorted().joined(separator: " or ")
    stage.warn(
      "\(name) can't hold attributes of each \(places): \(lost.joined(separator: ", ")) will be lost"
    )
  }

  /// Warns the user if programs will assume another up axis than the scene's.
  public func warnOfAxes(of scene: Scene, in format: any WritableFormat.Type) {
    warnOfAxes(of: scene, format.axes, in: format.name)
  }

  /// The same for a format given as a value.
  package func warnOfAxes(of scene: Scene, _ axes: AxisConvention, in name: String) {
    guard warnsOfAxes, case .undeclared(let usual) = axes else { return }
    let system = scene.coordinateSystem
    guard system.up != usual.up || system.handedness != usual.handedness else { return }
    let wayOut = remedy(.upAxis(usual.up)).map { "turn the scene with '\($0)'" }
    stage.warn(
      AxisConvention.warning(of: system.up, in: name, assumed: usual.up, turning: wayOut))
  }
}

/// An unknown output option, or an invalid value for one.
public struct InvalidFormatOption: UserError, Equatable {
  /// The identifier of the format.
  public var format: String
  /// The name of the option.
  public var option: String
  /// What is wrong.
  public var fault: String

  package init(format: String, option: String, fault: String) {
    self.format = format
    self.option = option
    self.fault = fault
  }

  /// ``ExitCode/configuration``.
  public var exitCode: ExitCode { .configuration }
  /// The option, the format and the fault.
  public var message: String { "option '\(option)' of format '\(format)': \(fault)" }
}

/// Why a scene can't be written in a format.
public enum UnwritableScene: UserError, Equatable {
  /// The scene has nothing of what the format can hold.
  case nothingToWrite(format: String, holds: String)
  /// With the stage that corrects it, if there is one.
  case positionNotFinite(mesh: String, vertex: Int, remedy: String?)
  /// The scene exceeds a limit of the format.
  case tooLarge(format: String, limit: String)

  /// ``ExitCode/data``.
  public var exitCode: ExitCode { .data }

  /// What is wrong, and the way out if there is one.
  public var message: String {
    switch self {
    case .nothingToWrite(let format, let holds):
      "there is nothing to write: \(format) can hold \(holds), but the scene has none"
        + (["points", "faces", "faces and points"].contains(holds)
          ? "; an output with \"when\": \"\(holds.replacing("and", with: "or"))\" is left out then"
          : "")
    case .positionNotFinite(let mesh, let vertex, let remedy):
      "vertex \(vertex) of '\(mesh)' has a coordinate that is not a finite number"
        + (remedy.map { "; put '\($0)' before the output" } ?? "")
    case .tooLarge(let format, let limit):
      "the scene is too large for \(format), whose limit is \(limit)"
    }
  }
}

extension WritingContext {
  /// Throws if a coordinate is infinite or NaN, which no format can hold.
  public func requireFinitePositions(of scene: Scene) throws(UnwritableScene) {
    func check(_ positions: [Vector3], _ name: String) throws(UnwritableScene) {
      guard let vertex = positions.firstIndex(where: { !$0.isFinite }) else { return }
      throw .positionNotFinite(mesh: name, vertex: vertex, remedy: remedy(.brokenNumbers))
    }
    for mesh in scene.meshes { try check(mesh.positions, mesh.name) }
    for cloud in scene.pointClouds { try check(cloud.positions, cloud.name) }
  }
}
