import MeshPipeline
import Workers

/// A format of a plugin, as pipelines use it.
struct PluginFormat {
  let manifest: PluginManifest
  let format: PluginManifest.FileFormat
  let notice: ConfinementNotice

  func definition(_ origin: StageOrigin) -> FormatDefinition {
    let reader = format.reads.map { features in
      FormatReader(
        id: format.id, name: format.name, extensions: format.extensions, canBring: features,
        // Only the plugin knows how to interpret its files.
        axes: .declared, origin: origin, read: read)
    }
    let writer = format.writes.map { features in
      FormatWriter(
        id: format.id, name: format.name, extensions: format.extensions, keeps: features,
        axes: axes, remark: format.remark, origin: origin, write: write)
    }
    return FormatDefinition(
      id: format.id, name: format.name, extensions: format.extensions, reader: reader,
      writer: writer, origin: origin)
  }

  /// How programs interpret the coordinates of a written file.
  private var axes: AxisConvention {
    format.up.map { .undeclared(usually: CoordinateSystem.arkit.with(up: $0)) } ?? .declared
  }

  // MARK: Reading

  @Sendable func read(_ path: String, in context: ReadingContext) throws -> Scene {
    notice.tell(in: context.stage)
    return try context.reading(path) { file in
      // The program runs in another folder.
      let place = FileSystem.canonicalPath(of: path) ?? path
      let call = ProcessCall(
        manifest: manifest, file: path, data: [PersonalPlaces().place(of: place)])
      let (result, _) = try call.ask(
        .read(WireFile(format: format.id, path: place)), arrays: file.count, in: context.stage,
        answer: call.result)
      let folder = FileSystem.folder(of: path)
      for side in result.openedFiles {
        context.didOpen(side.hasPrefix("/") ? side : "\(folder)/\(side)")
      }
      var scene = result.scene
      if scene.capture != nil {
        throw call.error(.nonsense("it sent frames, which can't be part of a file"), nil)
      }
      if scene.name.isEmpty { scene.name = FileSystem.title(of: path) }
      return scene
    }
  }

  // MARK: Writing

  @Sendable func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    if let option = context.options.keys.sorted().first {
      throw InvalidFormatOption(
        format: format.id, option: option, fault: "unknown option")
    }
    try context.requireFinitePositions(of: scene)
    context.warnOfLosses(of: scene, keeping: format.writes ?? [], in: format.name)
    context.warnOfAxes(of: scene, axes, in: format.name)
    notice.tell(in: context.stage)
    let call = ProcessCall(manifest: manifest, file: output.mainPath)
    var sent = scene
    sent.capture = nil
    if format.writes?.contains(.customAttributes) != true { sent.removeCustomAttributes() }
    sent.removeAttributes(besides: WireHello.attributes(of: format.writes ?? []))
    let length = WireEncoder.payloadLength(of: sent)
    let path = "\(ProcessCall.outputFolder)/\(output.mainFileName)"
    let (_, program) = try call.ask(
      .write(WireFile(format: format.id, path: path), WireScene(sent)), arrays: length,
      in: context.stage, answer: call.done)
    try take(from: call.outputFolder(of: program), into: output, call)
  }

  /// Moves the program's files to their place; it has ended, so they can't change any more.
  private func take(from folder: String, into output: OutputSet, _ call: ProcessCall) throws {
    let names = try FileSystem.names(inFolder: folder).sorted()
    guard names.contains(output.mainFileName) else {
      throw call.error(.nonsense("it is done, but did not write its file"), nil)
    }
    // The main file last.
    let sideNames = names.filter { $0 != output.mainFileName }
    for name in sideNames + [output.mainFileName] {
      let path = "\(folder)/\(name)"
      // The target of a link may be anything.
      let isPlain = try FileSystem.status(of: path)?.isRegularFile == true
      guard isPlain, !FileSystem.isSymbolicLink(path), name == name.withoutControlCharacters else {
        let shown = name.withoutControlCharacters
        throw call.error(.nonsense("its output '\(shown)' is not a regular file"), nil)
      }
      let file = try FileWriter(
        creating: name == output.mainFileName ? output.mainPath : output.sidePath(name))
      try file.write(contentsOf: path)
      try file.finish()
    }
  }
}

extension ProcessCall {
  /// The output folder in the program's working folder.
  static let outputFolder = "output"

  func outputFolder(of program: SupervisedProgram) -> String {
    "\(program.folder)/\(Self.outputFolder)"
  }
}
