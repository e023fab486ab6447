import MeshpipeBase
import MeshpipeScene

/// A pipeline with all names resolved and all values decoded, ready to run.
public struct ResolvedPipeline: Sendable {
  /// The origin of a scene.
  package enum Origin: Sendable, Hashable {
    /// The decoded input.
    case input
    /// The input at an index of ``ResolvedPipeline/otherInputs``.
    case otherInput(Int)
    /// The stage at an index of ``ResolvedPipeline/stages``.
    case stage(Int)
  }

  /// A stage with its parameters and its position in the flow.
  package struct ResolvedStage: Sendable {
    /// The id, or the stage's name if there is none (with a number if that is taken).
    ///
    /// With levels, that of a stage which runs once for each begins with the level: `preview.decimate`.
    package var id: String
    /// The level in which it runs; nil if it runs once.
    package var level: String?
    /// The stage's name.
    package var name: String
    /// The declarations of the stage.
    package var definition: StageDefinition
    /// The stage with its parameters, ready to run.
    package var stage: any PreparedStage
    /// Every option with its value, defaults included.
    package var options: [JSONValue.Member]
    /// One origin or, to be merged, several.
    package var inputs: [Origin]
    /// The scenes that its options refer to.
    package var sources: [SceneReference: Origin]
    /// The condition for running it.
    package var when: Condition?
    /// The part of the scene that it works on; nil for everything.
    package var scope: StageScope?
    /// The condition that its result must meet.
    package var expect: Condition?
    /// What happens if it fails.
    package var onError: PipelineDocument.OnError
    /// Whether to omit the warning if ``when`` is false.
    package var isOptional: Bool
    /// A disabled stage passes its scene on.
    package var isEnabled: Bool
    /// A comment for readers; empty if there is none.
    package var note: String

    /// Why it passes its scene on, whatever that is; nil if it is enabled.
    var reasonToSkip: String? {
      isEnabled ? nil : when?.isNeverTrue == true ? Condition.ruledOut : "disabled"
    }

    /// The id without the level.
    var ownID: String { level.map { String(id.dropFirst($0.count + 1)) } ?? id }

    /// Whether it does different things to different classes.
    var choosesByClass: Bool { definition.dataFlow.needs.contains(.classification) }

    /// Whether its options name one of a scene's classes.
    func namesClass(of scene: borrowing Scene) -> Bool {
      let classes = scene.meshes.map(\.classes) + scene.pointClouds.map(\.classes)
      let names = Set(classes.flatMap { $0?.presentNames ?? [] })
      return options.contains { option in
        ([option.value] + option.value.elements).contains { value in
          value.text.map(names.contains) == true
        }
      }
    }

    var needsFrames: Bool { definition.dataFlow.readFeatures.contains(.frames) }
  }

  /// An output with its final path.
  package struct ResolvedOutput: Sendable {
    /// The path to write to; `-` for standard output.
    ///
    /// Variables that depend on the input (`${stem}`) remain if there is none yet.
    package var path: String
    /// The level that it is written for; nil if it is written once.
    package var level: String?
    /// The format to write.
    package var format: FormatWriter
    /// Every option with its value, defaults included.
    package var options: [JSONValue.Member]
    /// The scene to write; with several levels in one file, that of the last one.
    package var from: Origin
    /// The scenes of the other levels in the same file.
    package var otherLevels: [Origin]
    /// The up axis to convert to, only for this output.
    package var up: SignedAxis?
    /// The condition for writing it.
    package var when: Condition?
    /// Whether a failure to write it is only a warning.
    package var isOptional: Bool
    /// The features that may be lost without a warning.
    package var loses: Set<SceneFeature>
    /// What its files may have together, and how they stay within it; nil for no limit.
    package var limit: OutputLimit?
    /// Makes the stage that encodes textures in a format; nil if there is none.
    var textureEncoder: PrivateTextures.Encoder?
    /// Whether the checker has warned that programs will assume another up axis.
    package var hasAxisWarning: Bool
    /// A comment for readers; empty if there is none.
    package var note: String

    /// The scenes of all levels in the file, or the only one.
    package var origins: [Origin] { otherLevels + [from] }
  }

  /// A variable with its value in this use.
  package struct ResolvedVariable: Sendable {
    /// The variable's name.
    package var name: String
    /// The value in this use.
    package var value: JSONValue
  }

  /// A level with its values.
  package struct ResolvedLevel: Sendable {
    /// The level's name.
    package var name: String
    /// The variables that levels set, with their values in this one.
    package var variables: [ResolvedVariable]
  }

  /// The pipeline file; nil for a pipeline made of arguments.
  public var file: String?
  /// The name in provenance; nil for that of the file, and empty for none.
  package var name: String?
  /// How much of what made it each output says; nil for everything.
  package var provenance: Provenance.Extent?
  /// One sentence about the pipeline; empty if there is none.
  public var about: String
  /// The file to read; for a capture folder the mesh in it, or the folder if there is none.
  public var input: String?
  /// The name of the scan: that of the capture's folder, if the input is one; nil for that of the
  /// file.
  package var inputName: String?
  /// The reader of the input; nil if there is no input yet, and for a capture without a mesh.
  package var inputFormat: FormatReader?
  /// What the user says of the input, overriding its file.
  package var inputReading = InputReading()
  /// The scans to merge with the input.
  package var joined: [JoinedInput] = []
  /// The scans that stages refer to by their ids.
  package var otherInputs: [JoinedInput] = []
  /// The frames of the input, if the pipeline uses them.
  package var frames: FoundCapture?
  /// Other meshes of the input's capture, from which one is chosen by its depth maps.
  package var otherMeshes: [CaptureMesh] = []
  /// The file of the room that the input shows, if the pipeline uses it.
  package var room: FoundRoom?
  /// The files that options name, whose contents are among the options.
  package var optionFiles: [String] = []
  /// The file of the input's mesh; nil if there is none.
  package var meshPath: String? { inputFormat == nil ? nil : input }
  /// The files of the input's mesh, and of others from which it is chosen.
  package var meshPaths: [String] { (meshPath.map { [$0] } ?? []) + otherMeshes.map(\.path) }
  /// The files of further inputs; of captures without a mesh there are only side files.
  var otherInputPaths: [String] {
    (joined + otherInputs).filter { $0.format != nil }.map(\.path)
  }
  /// In the order of declaration.
  package var variables: [ResolvedVariable]
  /// The levels to run; empty if everything runs once.
  package var levels: [ResolvedLevel] = []
  /// The stage that corrects a fault of a scene, as on the command line; nil if there is none.
  package var remedy: @Sendable (SceneFault) -> String? = { _ in nil }
  /// In the order in which they run.
  package var stages: [ResolvedStage]
  /// The enabled outputs.
  package var outputs: [ResolvedOutput]

  /// The id of the scene from an `origin`.
  package func id(of origin: Origin) -> String {
    switch origin {
    case .input: PipelineDocument.inputID
    case .otherInput(let index): otherInputs[index].id ?? ""
    case .stage(let index): stages[index].id
    }
  }
}

extension ResolvedPipeline.ResolvedStage {
  /// The stage in messages: `stage 'light' (decimate) of level 'preview'`.
  var words: String {
    "stage '\(ownID)'" + (ownID == name ? "" : " (\(name))")
      + (level.map { " of level '\($0)'" } ?? "")
  }
}

extension ResolvedPipeline {
  /// Short names of stages by their ids: those that all levels share are named once, without the level.
  func names(ofStages ids: [String]) -> [String] {
    var names: [String] = []
    for stage in stages where ids.contains(stage.id) {
      let kin = stages.filter { $0.level != nil && $0.ownID == stage.ownID }
      let isShared = stage.level != nil && kin.allSatisfy { ids.contains($0.id) }
      let name = isShared ? stage.ownID : stage.id
      if !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// The pipeline as JSON, with all defaults filled in.
  public var json: JSONValue {
    var members: [JSONValue.Member] = []
    if let file { members.append(.init("file", JSONValue(.string(file)))) }
    if let name { members.append(.init("name", name.json)) }
    if let provenance { members.append(.init("provenance", provenance.rawValue.json)) }
    if !about.isEmpty { members.append(.init("description", JSONValue(.string(about)))) }
    members += inputMembers
    members.append(.init("variables", json(of: variables)))
    if !levels.isEmpty {
      let levels = levels.map { JSONValue.Member($0.name, json(of: $0.variables)) }
      members.append(.init("levels", JSONValue(.object(levels))))
    }
    members.append(.init("stages", JSONValue(.array(stages.map { json(of: $0) }))))
    members.append(.init("outputs", JSONValue(.array(outputs.map { json(of: $0) }))))
    return JSONValue(.object(members)).withoutPositions
  }

  /// What is read, and how.
  var inputMembers: [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    if let input { members.append(.init("input", JSONValue(.string(input)))) }
    if let inputFormat {
      members.append(.init("inputFormat", JSONValue(.string(inputFormat.id))))
      if let origin = inputFormat.origin { members.append(.init("inputPlugin", origin.json)) }
    }
    if !otherMeshes.isEmpty {
      let paths = otherMeshes.map { JSONValue(.string($0.path)) }
      members.append(.init("otherMeshes", JSONValue(.array(paths))))
    }
    let inputs = joined + otherInputs
    if !inputs.isEmpty { members.append(.init("inputs", JSONValue(.array(inputs.map(\.json))))) }
    if let room { members.append(.init("room", JSONValue(.string(room.path)))) }
    if let frames {
      members.append(
        .init(
          "frames",
          [
            "path": JSONValue(.string(frames.folder.path)),
            "layout": JSONValue(.string(frames.layout.id)),
            "poses": frames.reading.json,
          ]))
    }
    return members
  }

  private func json(of variables: [ResolvedVariable]) -> JSONValue {
    JSONValue(.object(variables.map { .init($0.name, $0.value) }))
  }

  /// A stage, with all defaults filled in.
  func json(of stage: ResolvedStage) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("id", JSONValue(.string(stage.id))),
      .init("use", JSONValue(.string(stage.name))),
      .init("in", JSONValue(.array(stage.inputs.map { JSONValue(.string(id(of: $0))) }))),
    ]
    if let level = stage.level { members.append(.init("level", JSONValue(.string(level)))) }
    if let when = stage.when { members.append(.init("when", JSONValue(.string(when.text)))) }
    if let scope = stage.scope {
      let names = scope.names.map { JSONValue(.string($0)) }
      members.append(.init("where", JSONValue(.array(names))))
    }
    members.append(.init("with", JSONValue(.object(stage.options))))
    if let expect = stage.expect {
      members.append(.init("expect", JSONValue(.string(expect.text))))
    }
    if stage.onError != .fail {
      members.append(.init("onError", JSONValue(.string(stage.onError.rawValue))))
    }
    if let origin = stage.definition.origin {
      members.append(.init("plugin", origin.json))
    }
    if stage.isOptional { members.append(.init("optional", true)) }
    if !stage.isEnabled { members.append(.init("enabled", false)) }
    if !stage.note.isEmpty { members.append(.init("note", JSONValue(.string(stage.note)))) }
    return JSONValue(.object(members))
  }

  private func json(of output: ResolvedOutput) -> JSONValue {
    let from = output.origins.map { id(of: $0) }
    var members: [JSONValue.Member] = [
      .init("path", JSONValue(.string(output.path))),
      .init("format", JSONValue(.string(output.format.id))),
      .init("from", from.count == 1 ? from[0].json : from.json),
    ]
    if let level = output.level { members.append(.init("level", JSONValue(.string(level)))) }
    if let origin = output.format.origin { members.append(.init("plugin", origin.json)) }
    if let up = output.up { members.append(.init("up", JSONValue(.string(up.rawValue)))) }
    if let when = output.when { members.append(.init("when", JSONValue(.string(when.text)))) }
    if output.isOptional { members.append(.init("optional", true)) }
    if output.loses == Set(SceneFeature.allCases) {
      members.append(.init("loses", "expected"))
    } else if !output.loses.isEmpty {
      members.append(.init("loses", output.loses.sorted().map(\.rawValue).json))
    }
    if let limit = output.limit { members.append(.init("maximumBytes", limit.bytes.json)) }
    if !output.options.isEmpty {
      members.append(.init("with", JSONValue(.object(output.options))))
    }
    if !output.note.isEmpty { members.append(.init("note", JSONValue(.string(output.note)))) }
    return JSONValue(.object(members))
  }
}
