import MeshpipeBase

/// What `-o` makes of the outputs of a pipeline.
extension PipelineResolver {
  /// Applies `-o`: a folder for any number of outputs, or other files for them.
  ///
  /// With several outputs, a file selects the one with its extension; the others are not written. A file of another
  /// format is like the first, if all are of one scene.
  mutating func placeOutputs() {
    guard let output = request.output, !document.outputs.isEmpty else { return }
    let given = request.givenOutputs
    if given.count > 1, let folder = given.first(where: namesFolder) {
      return reportArgument(
        "a folder takes all outputs of the pipeline: give only the folder, or only files",
        file: "-o \(folder.shellQuoted)")
    }
    guard namesFolder(output) else {
      var placed: [OutputPlan] = []
      for file in given {
        guard !placed.contains(where: { $0.path == file }) else {
          return reportArgument("it is given twice", file: "-o \(file.shellQuoted)")
        }
        // After a mistake the outputs stay as they are, so that it is the only one told.
        guard let plans = outputs(placedAt: file) else { return }
        placed += plans
      }
      outputs = placed
      return
    }
    var folder = output[...]
    while folder.hasSuffix("/"), folder.count > 1 { folder = folder.dropLast() }
    for index in outputs.indices {
      guard let path = outputs[index].path else { continue }
      let place = path.hasPrefix("/") ? FileSystem.name(of: path) : path
      outputs[index].path = folder == "/" ? "/\(place)" : "\(folder)/\(place)"
    }
  }

  private func namesFolder(_ output: String) -> Bool {
    output != "-"
      && (output.hasSuffix("/")
        || ((try? FileSystem.status(of: output)) ?? nil)?.isFolder == true
        || request.outputFormat == nil && fileExtension(of: output).isEmpty)
  }

  /// Whether all outputs are forms of the same scene, of which a file of another format is one more.
  private var hasOneScene: Bool {
    outputs.allSatisfy {
      $0.from == outputs[0].from && $0.level == outputs[0].level && $0.otherLevels.isEmpty
    }
  }

  /// The output of the pipeline that a file stands for, at its place; nil if it is not clear which, which is reported.
  private mutating func outputs(placedAt file: String) -> [OutputPlan]? {
    var candidates = outputs
    if outputs.count > 1 {
      let name = fileExtension(of: file)
      candidates = outputs.filter { $0.path.map(fileExtension) == name }
      if candidates.isEmpty, !name.isEmpty, hasOneScene { candidates = [outputs[0]] }
      if name.isEmpty || candidates.count != 1 {
        let names = outputs.compactMap(\.path).joined(separator: ", ")
        reportArgument(
          "the pipeline has \(outputs.count) outputs (\(names)); give a folder, or "
            + (levels.count > 1 ? "one level with --level and " : "")
            + "a file with the extension of one",
          file: "-o \(file.shellQuoted)")
        return nil
      }
    }
    return candidates.map { plan in
      var plan = plan
      // A path at fault was reported.
      if plan.path != nil { plan.path = file }
      return plan
    }
  }
}
