package import MeshPipeline

/// `transforms.json` of nerfstudio, instant-ngp and NeRFCapture.
package enum TransformsFile: CaptureLayout {
  package static let id = "transforms"
  package static let summary =
    "`transforms.json` of nerfstudio, instant-ngp or NeRFCapture, with the images that it names."
  package static let indexNames = ["transforms.json", "transforms_train.json"]

  package static func isPresent(in folder: CaptureFolder) -> Bool { fileName(in: folder) != nil }

  /// The file: the one given by the user, whatever its name, or the first of the usual ones.
  private static func fileName(in folder: CaptureFolder) -> String? {
    if let name = folder.fileName, name.hasSuffix(".json"), name != "manifest.json" { return name }
    return indexNames.first(where: folder.has)
  }

  package static func read(
    _ folder: CaptureFolder, in context: CaptureReadingContext
  ) throws -> CapturedScan {
    let path = folder.path(of: fileName(in: folder) ?? indexNames[0])
    let json = try context.json(at: path)
    guard case .array(let elements)? = json["frames"]?.content else {
      throw CaptureError(
        path, at: json.position, "has no list of 'frames', as a transforms.json has")
    }
    let isRaw = isNeRFCapture(json, elements)
    // The file doesn't specify its world: nerfstudio rotates to Z up, NeRFCapture keeps ARKit's.
    var scan = CapturedScan(capture: Capture(), coordinateSystem: nil)
    var names: Set<String> = []
    var relocated = RelocatedFiles(folder)
    var depthUnit = DepthUnit()
    let moves = AppliedTransforms(json, folder, context)
    for (index, element) in elements.enumerated() {
      try context.checkCancellation()
      let file = (element["file_path"]?.text ?? "").withSlashes
      let stem = FileSystem.stem(of: file)
      let name = stem.isEmpty ? "frame \(index)" : names.contains(stem) ? file : stem
      do throws(FrameFault) {
        let record = TransformsFrame(
          json: element, root: json, isRaw: isRaw, appliedScale: moves.rotationScale,
          folder: folder, context: context)
        scan.capture.frames.append(
          try record.frame(named: name, relocated: &relocated, depthUnit: &depthUnit))
        if record.isByColumns { scan.framesByColumns.insert(name) }
        names.insert(name)
      } catch {
        context.leaveOut(name, because: error.reason, at: error.path)
      }
    }
    // A name that could belong to several frames is ignored.
    let uses = Dictionary(scan.capture.frames.map { ($0.image.path, 1) }, uniquingKeysWith: +)
    scan.capture.frames.removeAll { frame in
      guard relocated.frames.contains(frame.name), uses[frame.image.path] != 1 else { return false }
      context.leaveOut(
        frame.name,
        because: "its image is missing, and one with the same name belongs to other frames too",
        at: frame.image.path)
      return true
    }
    scan.worlds = moves.worlds
    return scan
  }

  /// Raw ARKit cameras, recognised by names without extension together with focal lengths.
  private static func isNeRFCapture(_ json: JSONValue, _ frames: [JSONValue]) -> Bool {
    guard (json["fl_x"] ?? frames.first?["fl_x"]) != nil, json["camera_model"] == nil else {
      return false
    }
    return frames.contains { fileExtension(of: $0["file_path"]?.text ?? "") == "" }
  }
}
