import MeshpipeBase
import MeshpipeScene

extension PipelineResolver {
  /// Finds the file, the format and the frames of the input.
  mutating func resolveInput() {
    inputPath = request.input
    if let input = request.input, Self.isFolder(input) {
      isInputFolder = true
      resolveInputFolder(input)
      guard inputPath != nil else { return }
    } else if let input = request.input, request.framesReading.mesh != nil {
      report(.notAFolder(input))
    }
    if !lacksMesh { resolveInputFormat() }
    resolveFrames()
    resolveRoom()
  }

  /// The name that a capture's folder gives its scan, for `${stem}`.
  var inputName: String? {
    guard isInputFolder, let input = request.input else { return nil }
    return BuiltInVariable.stem.value(forInput: input, isFolder: true, archive: request.archive)
  }

  private static func isFolder(_ path: String) -> Bool {
    (try? FileSystem.status(of: path))?.isFolder == true
  }

  /// An input folder is a capture, whose own mesh is the scan.
  private mutating func resolveInputFolder(_ input: String) {
    guard var found = find(input, hint: "; to run all scans in a folder, use 'meshpipe batch'")
    else {
      inputPath = nil
      return
    }
    found.reading = request.framesReading
    frames = found
    lacksMesh = found.meshPath == nil
    inputPath = found.meshPath ?? found.folder.path
    do {
      try found.checkMesh()
    } catch {
      (inputPath, lacksMesh) = (nil, false)
      report(error)
    }
  }

  private mutating func report(_ error: CaptureError) {
    reportArgument(error.reason, file: error.path, exitCode: error.exitCode)
  }

  /// The meshes of the input's capture beside the usual one, from which its depth maps choose.
  ///
  /// Files that this run writes are not among them.
  var otherMeshes: [CaptureMesh] {
    guard isInputFolder, request.inputFormat == nil, let frames, frames.meshPath == inputPath else {
      return []
    }
    return frames.otherMeshes(read: environment.formats, except: outputs.compactMap(\.path))
  }

  /// Rejects a capture without a mesh, unless a stage makes one from its depth maps or needs none, or only frames are
  /// written.
  mutating func settleMesh() {
    guard lacksMesh, let input = request.input else { return }
    // An unknown stage might be the one, and is reported.
    if stages.contains(where: { $0.definition == nil }) { return }
    let lacksDepth = frames?.hasDepth != true
    if frames != nil,
      stages.contains(where: { $0.isEnabled && worksWithoutMesh($0, lacksDepth: lacksDepth) })
        || !outputs.isEmpty
          && outputs.allSatisfy({ $0.format?.keeps.contains(.frames) == true })
    {
      return
    }
    lacksMesh = false
    inputPath = nil
    let found = frames ?? (try? environment.captures.find(input))
    let stage = found?.hasDepth == true ? environment.stages.remedy(for: .noMesh) : nil
    reportArgument(
      "the capture\(found.map { " (\($0.layout.id))" } ?? "") has no mesh; name one as the input, "
        + "and the capture with --frames"
        + (stage.map { ", or make one from its depth maps with the stage '\($0)'" } ?? ""),
      file: input, exitCode: .data)
  }

  /// Whether a stage has work on a capture without a mesh.
  ///
  /// It makes one of the depth maps, or an output takes what else it makes.
  private func worksWithoutMesh(_ plan: StagePlan, lacksDepth: Bool) -> Bool {
    guard plan.dataFlow.worksWithoutMesh else { return false }
    let geometry: Set<SceneFeature> = [.faces, .points]
    let isForGeometry =
      !outputs.isEmpty
      && outputs.allSatisfy { $0.format?.keeps.isDisjoint(with: geometry) == false }
    guard isForGeometry, lacksDepth else { return true }
    return !plan.dataFlow.makes.isDisjoint(with: geometry)
      && !plan.dataFlow.readFeatures.contains(.depthMaps)
  }

  private mutating func resolveInputFormat() {
    if let id = request.inputFormat {
      inputFormat = environment.formats.reader(id: id)
      if inputFormat == nil {
        let ids = environment.formats.readableIDs
        let hint = nearestName(to: id, in: ids).map { "; did you mean '\($0)'?" } ?? ""
        reportArgument("unknown input format '\(id)'\(hint)", exitCode: .unavailable)
      }
    } else if let input = inputPath {
      inputFormat = environment.formats.reader(ofFile: input)
      if inputFormat == nil {
        if let explanation = environment.formats.explanation(forForeign: input)
          ?? environment.formats.explanation(ofContentsOf: input)
        {
          return reportArgument(explanation, file: input, exitCode: .unavailable)
        }
        let name = fileExtension(of: input)
        let problem =
          name.isEmpty
          ? "the file's name has no extension"
          : name == "json"
            ? "of '.json' files only rooms of RoomPlan and recorded feature points can be read, and this is neither"
            : "no format reads '.\(name)'"
        reportArgument(
          "\(problem)\(environment.formats.pointsHint(ofFile: input)); `meshpipe formats` lists what can be read",
          file: input,
          exitCode: .unavailable)
      }
    }
  }

  // MARK: Frames

  private mutating func resolveFrames() {
    switch request.frames {
    case .path(let path): frames = find(request.unpackedFrames ?? path)
    case .none: frames = nil
    case .besideInput:
      if frames == nil, let inputPath {
        var found =
          environment.captures.find(besideMesh: inputPath)
          ?? request.unpackedFrames.flatMap { try? environment.captures.find($0) }
        // A mesh of the capture, or a word on its poses, stands for the capture.
        let isOwn = found?.isOwnMesh(inputPath) == true
        found?.isNamed = isOwn || request.framesReading != PoseReading()
        frames = found
      }
    }
    frames?.reading = request.framesReading
  }

  private mutating func find(_ path: String, hint: String = "") -> FoundCapture? {
    do {
      return try environment.captures.find(path)
    } catch {
      let error = error as? any UserError
      reportArgument((error?.message ?? path) + hint, exitCode: error?.exitCode ?? .software)
      return nil
    }
  }

  /// Skips frames that the pipeline does not use: reading them takes time, and their problems are
  /// irrelevant.
  mutating func settleFrames() {
    guard frames != nil, !wantsFrames else { return }
    frames = nil
    if case .path(let path) = request.frames {
      add(
        warning: "--frames \(path.shellQuoted): no part of the pipeline uses frames")
    }
  }

  var wantsFrames: Bool {
    stages.contains { plan in
      let asks = [plan.when, plan.expect].contains { $0?.mentionsFrames == true }
      return plan.isEnabled
        && (asks || !plan.dataFlow.readFeatures.isDisjoint(with: SceneFeature.ofCaptures))
    }
      || outputs.contains { output in
        output.when?.mentionsFrames == true || output.format?.keeps.contains(.frames) == true
      }
  }
}

extension Condition {
  /// Whether the condition refers to frames.
  fileprivate var mentionsFrames: Bool {
    !mentionedFeatures.isDisjoint(with: SceneFeature.ofCaptures)
  }
}
