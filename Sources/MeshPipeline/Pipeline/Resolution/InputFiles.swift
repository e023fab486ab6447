import MeshpipeBase
import MeshpipeScene

/// The files of the input: the first step of a resolution.
///
/// In: the request, and what lies in folders. Out: the mesh with its format, the capture with its frames, and the room;
/// what was asked for and is not there is reported.
struct InputFiles {
  /// The file to read: the input, or the mesh of its capture folder, or the folder if there is none.
  let path: String?
  let format: FormatReader?
  /// Whether the input is a capture without a mesh.
  let lacksMesh: Bool
  let frames: FoundCapture?
  let room: FoundRoom?
  /// The meshes of the input's capture beside the usual one, from which its depth maps choose; none as long as it is not
  /// known which files the run writes.
  let otherMeshes: [CaptureMesh]
  let diagnostics: [Diagnostic]

  init(_ use: PipelineUse) {
    let request = use.request
    otherMeshes = []
    var faults: [Diagnostic] = []
    var own: FoundCapture?
    if use.hasInputFolder, let input = request.input {
      let hint = "; to run all scans in a folder, use 'meshpipe batch'"
      own = use.capture(at: input, hint: hint, &faults)
    } else if let input = request.input, request.framesReading.mesh != nil {
      faults.append(CaptureError.notAFolder(input).asUsage)
    }
    path = use.hasInputFolder ? own.flatMap { Self.path(of: $0, &faults) } : request.input
    lacksMesh = use.hasInputFolder && path != nil && own?.meshPath == nil
    guard path != nil || !use.hasInputFolder else {
      (format, frames, room) = (nil, own, nil)
      diagnostics = faults
      return
    }
    format = lacksMesh ? nil : use.format(ofInput: path, &faults)
    frames = use.frames(beside: path, own, &faults)
    room = use.room(besideInput: path, format, &faults)
    diagnostics = faults
  }

  /// The mesh of an input folder, or the folder itself.
  private static func path(of capture: FoundCapture, _ faults: inout [Diagnostic]) -> String? {
    do {
      try capture.checkMesh()
      return capture.meshPath ?? capture.folder.path
    } catch {
      faults.append(error.asUsage)
      return nil
    }
  }

  /// What the stages and outputs of a pipeline use of the files.
  ///
  /// Frames that no part uses are left out: reading them takes time, and their problems are irrelevant. A capture
  /// without a mesh is rejected, unless a stage makes one or needs none, or only frames are written.
  init(
    _ found: InputFiles, of use: PipelineUse, usedBy stages: StagePlans, _ outputs: OutputPlans,
    _ companions: CompanionUse
  ) {
    let fault =
      found.lacksMesh
      ? Self.faultOfLackingMesh(of: found, in: use, stages: stages, outputs: outputs) : nil
    path = fault == nil ? found.path : nil
    format = found.format
    lacksMesh = found.lacksMesh && fault == nil
    frames = companions.frames ? found.frames : nil
    room = companions.room ? found.room : nil
    otherMeshes = use.otherMeshes(of: frames, beside: path, except: outputs)
    var diagnostics = fault.map { [$0] } ?? []
    if found.frames != nil, frames == nil, case .path(let path) = use.request.frames {
      diagnostics.append(.unused("--frames", path, "frames"))
    }
    if found.room != nil, room == nil, case .path(let path) = use.request.room {
      diagnostics.append(.unused("--room", path, "a room"))
    }
    self.diagnostics = diagnostics
  }

  /// Why a capture without a mesh can't be the input; nil if it can.
  private static func faultOfLackingMesh(
    of found: InputFiles, in use: PipelineUse, stages: StagePlans, outputs: OutputPlans
  ) -> Diagnostic? {
    // An unknown stage might be the one, and is reported.
    guard let input = use.request.input, stages.plans.allSatisfy(\.isKnown) else { return nil }
    let formats = outputs.plans.map(\.format)
    let enabled = stages.plans.filter(\.stage.isEnabled)
    if let frames = found.frames, !frames.layout.brings.contains(.frames),
      !enabled.contains(where: { $0.stage.definition.dataFlow.makes.contains(.frames) })
    {
      return faultOfLackingPoses(of: input, in: use)
    }
    let hasDepth = found.frames?.hasDepth == true
    if found.frames != nil {
      let areFrames = !formats.isEmpty && formats.allSatisfy { $0?.keeps.contains(.frames) == true }
      let work = enabled.map(\.stage.definition.dataFlow)
      if areFrames || work.contains(where: { isWork($0, hasDepth: hasDepth, for: formats) }) {
        return nil
      }
    }
    let capture = found.frames ?? (try? use.environment.captures.find(input))
    let maker = capture?.hasDepth == true ? use.environment.stages.remedy(for: .noMesh) : nil
    return .usage(
      "the capture\(capture.map { " (\($0.layout.id))" } ?? "") has no mesh; name one as the input, "
        + "and the capture with --frames"
        + (maker.map { ", or make one from its depth maps with the stage '\($0)'" } ?? ""),
      of: input, exitCode: .data)
  }

  /// That nothing finds where photographs were taken, with the stage that does.
  private static func faultOfLackingPoses(of input: String, in use: PipelineUse) -> Diagnostic {
    let finder = use.environment.stages.remedy(for: .noPoses)
    return .usage(
      "the folder holds photographs without poses"
        + (finder.map { "; the stage '\($0)' finds them, as the pipeline 'photos' does" } ?? ""),
      of: input, exitCode: .data)
  }

  /// Whether a stage has work on a capture without a mesh.
  ///
  /// It makes one of the depth maps, or an output takes what else it makes.
  private static func isWork(
    _ flow: StageDataFlow, hasDepth: Bool, for formats: [FormatWriter?]
  ) -> Bool {
    guard flow.worksWithoutMesh else { return false }
    let isForGeometry =
      !formats.isEmpty
      && formats.allSatisfy { $0?.keeps.isDisjoint(with: SceneFeature.geometry) == false }
    guard isForGeometry, !hasDepth else { return true }
    return !flow.makes.isDisjoint(with: SceneFeature.geometry)
      && !flow.readFeatures.contains(.depthMaps)
  }

  /// The name that a capture's folder gives its scan, for `${stem}`.
  func name(in use: PipelineUse) -> String? {
    use.hasInputFolder ? use.value(of: .stem) : nil
  }
}

/// Whether parts of a pipeline use the frames of its input, and the room.
struct CompanionUse {
  let frames: Bool
  let room: Bool

  init(_ stages: StagePlans, _ outputs: OutputPlans) {
    let enabled = stages.plans.map(\.stage).filter(\.isEnabled)
    let conditions = enabled.flatMap { [$0.when, $0.expect] } + outputs.plans.map(\.target.when)
    let mentioned = Set(conditions.flatMap { $0?.mentionedFeatures ?? [] })
    let read = Set(enabled.flatMap(\.definition.dataFlow.readFeatures))
    frames =
      !mentioned.union(read).isDisjoint(with: SceneFeature.ofCaptures)
      || outputs.plans.contains { $0.format?.keeps.contains(.frames) == true }
    room =
      mentioned.contains(.room)
      || enabled.contains { $0.definition.dataFlow.needs.contains(.room) }
  }
}

extension PipelineUse {
  /// The meshes of the input's capture beside the usual one.
  ///
  /// Files that this run writes are not among them.
  fileprivate func otherMeshes(
    of frames: FoundCapture?, beside path: String?, except outputs: OutputPlans
  ) -> [CaptureMesh] {
    guard hasInputFolder, request.inputFormat == nil, let frames, frames.meshPath == path else {
      return []
    }
    return frames.otherMeshes(
      read: environment.formats, except: outputs.plans.compactMap(\.path))
  }

  fileprivate func capture(
    at path: String, hint: String = "", _ faults: inout [Diagnostic]
  ) -> FoundCapture? {
    do {
      var found = try environment.captures.find(path)
      found.reading = request.framesReading
      return found
    } catch {
      let error = error as? any UserError
      faults.append(
        .usage((error?.message ?? path) + hint, exitCode: error?.exitCode ?? .software))
      return nil
    }
  }

  fileprivate func format(ofInput path: String?, _ faults: inout [Diagnostic]) -> FormatReader? {
    let formats = environment.formats
    if let id = request.inputFormat {
      if let format = formats.reader(id: id) { return format }
      let hint = nearestName(to: id, in: formats.readableIDs).map { "; did you mean '\($0)'?" }
      faults.append(.usage("unknown input format '\(id)'\(hint ?? "")", exitCode: .unavailable))
    } else if let path {
      if let format = formats.reader(ofFile: path) { return format }
      let explanation =
        formats.explanation(forForeign: path) ?? formats.explanation(ofContentsOf: path)
        ?? problem(withExtensionOf: path)
      faults.append(.usage(explanation, of: path, exitCode: .unavailable))
    }
    return nil
  }

  private func problem(withExtensionOf path: String) -> String {
    let problem =
      switch fileExtension(of: path) {
      case "": "the file's name has no extension"
      case "json":
        "of '.json' files only rooms of RoomPlan and recorded feature points can be read, and this is neither"
      case let name: "no format reads '.\(name)'"
      }
    let hint = environment.formats.pointsHint(ofFile: path)
    return "\(problem)\(hint); `meshpipe formats` lists what can be read"
  }

  /// The capture with the frames of an input.
  ///
  /// - Parameter own: The capture that the input is.
  fileprivate func frames(
    beside path: String?, _ own: FoundCapture?, _ faults: inout [Diagnostic]
  ) -> FoundCapture? {
    switch request.frames {
    case .path(let path): return capture(at: request.unpackedFrames ?? path, &faults)
    case .none: return nil
    case .besideInput:
      guard own == nil, let path else { return own }
      let found =
        environment.captures.find(besideMesh: path)
        ?? request.unpackedFrames.flatMap { try? environment.captures.find($0) }
      guard var found else { return nil }
      // A mesh of the capture, or a word on its poses, stands for the capture.
      found.isNamed = found.isOwnMesh(path) || request.framesReading != PoseReading()
      found.reading = request.framesReading
      return found
    }
  }

  fileprivate func room(
    besideInput path: String?, _ format: FormatReader?, _ faults: inout [Diagnostic]
  ) -> FoundRoom? {
    switch request.room {
    case .none: return nil
    case .path(let room):
      if (try? FileSystem.status(of: room)) != nil {
        return environment.captures.room(at: room)
      }
      faults.append(.usage("there is no such file", of: room, exitCode: .noInput))
      return nil
    case .besideInput:
      // A room is its own.
      guard let path, format?.canBring.contains(.room) != true else { return nil }
      return environment.captures.room(besideScan: path)
    }
  }
}

extension CaptureError {
  fileprivate var asUsage: Diagnostic { .usage(reason, of: path, exitCode: exitCode) }
}

extension Diagnostic {
  fileprivate static func unused(_ option: String, _ path: String, _ things: String) -> Diagnostic {
    Diagnostic(
      .warning, message: "\(option) \(path.shellQuoted): no part of the pipeline uses \(things)")
  }
}
