package import MeshPipeline

/// Feature points as apps record them from ARKit: identifiers and positions, frame by frame, as JSON or lines of it.
package enum FeaturePoints: Format {
  package static let id = "feature-points"
  package static let name = "Recorded feature points"
  package static let extensions = ["features.json", "features.jsonl"]
}

extension FeaturePoints: ReadableFormat {
  package static let canBring: Set<SceneFeature> = [.points, .customAttributes]

  /// An object or a list with identifiers, or with points beside them, that is no other kind of JSON.
  package static func recognizes(_ head: FileHead) -> Bool {
    guard let first = head.body.first, first == "{" || first == "[" else { return false }
    var keys: Set<String> = []
    for part in head.body.split(separator: "\"", omittingEmptySubsequences: false).dropFirst() {
      keys.insert(CustomAttribute.plainName(String(part)))
    }
    guard keys.isDisjoint(with: Self.foreignKeys) else { return false }
    return keys.contains("rawfeaturepoints") || keys.contains("identifiers")
      || keys.contains(where: CustomAttribute.isIdentifier)
        && keys.contains(where: FeatureRecording.isOfPoints)
  }

  /// What pipelines, glTF, captures, rooms, shapes and maps have.
  private static let foreignKeys: Set = [
    "stages", "use", "variables", "output", "outputs", "asset", "accessors", "filepath", "frameidx",
    "transformmatrix", "walls", "shapes", "featurecollection", "geometry",
  ]

  /// Reads the samples of all frames, in the order of the file.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) { file in
      var recording = FeatureRecording()
      let failure = file.withBytes { bytes -> FeatureRecording.Fault? in
        do throws(FeatureRecording.Fault) {
          try recording.read(bytes)
          return nil
        } catch {
          return error
        }
      }
      try context.stage.progress(0.8)
      if let failure { try report(failure, of: file, recording, in: context) }
      let origin = recording.origin
      var scene = try scene(recording, from: origin, of: file)
      context.warnOfBrokenNumbers(scene.pointClouds[0].positions, in: path)
      scene.takeOrigin(origin)
      try context.stage.progress(1)
      return scene
    }
  }

  /// Warns of a file that ends within a record after others; any other fault is thrown.
  private static func report(
    _ fault: FeatureRecording.Fault, of file: MappedFile, _ recording: FeatureRecording,
    in context: ReadingContext
  ) throws {
    let line = file.withBytes { TextBlocks.lineBreaks($0, before: fault.offset) } + 1
    guard fault.offset >= file.count, recording.sampleCount > 0 else {
      throw ReadingError.line(path: file.path, line: line, fault.message)
    }
    context.stage.warn(
      "\(FileSystem.name(of: file.path)):\(line): the file ends within a record, which is left out; is it complete?"
    )
  }

  private static func scene(
    _ recording: FeatureRecording, from origin: SIMD3<Double>, of file: MappedFile
  ) throws -> Scene {
    guard recording.sampleCount > 0 else {
      throw ReadingError.content(
        path: file.path,
        "has no feature points: expected lists 'identifiers' and 'points' of the same length, in one or many objects"
      )
    }
    let name = FileSystem.title(of: file.path)
    var cloud = PointCloud(name: name, positions: recording.positions(from: origin))
    if let identifiers = recording.identifiersOfAll {
      cloud.attributes.append(CustomAttribute("identifier", values: .uint64(identifiers)))
    }
    if let frames = recording.framesOfAll {
      cloud.attributes.append(CustomAttribute("frame", values: .uint32(frames)))
    }
    return Scene(name: name, pointClouds: [cloud])
  }
}
