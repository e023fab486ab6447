package import MeshPipeline

/// Determines the output paths of each item, and their dependencies, before any item is opened.
///
/// The pipeline is resolved once for each extension of the template, with a placeholder for the
/// template's part; for an item, the placeholder, `${stem}` and the like are filled in.
package struct OutputPlanner {
  /// The pipeline for all items whose outputs have the same extension.
  private struct Shape {
    var resolution: PipelineResolution
    /// Paths with ``sign`` in place of the template's part.
    var outputs: [String]
    /// The hash of the pipeline and everything else except the items.
    var recipe: String
  }

  /// A character that no user's path contains.
  private static let sign = "\u{1}"

  private let work: BatchWork
  private let document: PipelineDocument
  private let environment: PipelineEnvironment
  package let template: OutputTemplate
  private var shapes: [String: Shape] = [:]
  /// The names of frames in the most recent folder.
  private var lastFolder: (path: String, frames: [String])?
  /// Plugins that read items, by the paths of their manifests.
  private var readingPlugins: [String: JSONValue] = [:]
  /// What decides, besides the recipe of an item, whether it succeeds.
  private let attempt: String

  package init(_ work: BatchWork, _ environment: PipelineEnvironment, template: OutputTemplate) {
    self.work = work
    self.environment = environment
    self.template = template
    document = work.document
    attempt = Self.hash(work.run.recipe(of: [.success]))
  }

  /// The output paths of an item.
  package struct Plan: Sendable, Equatable {
    /// The destination for the pipeline: a file, or a folder with a trailing slash.
    package var target: String
    /// The main files that may be written; conditions of the pipeline may omit some of them.
    package var outputs: [String]
    /// The hash of everything that the outputs depend on, except the bytes of the item.
    package var recipe: String
    /// What decides in addition whether there are outputs.
    package var attempt = ""

    /// What a result depends on: that of an item which failed also on what may make it succeed.
    func recipe(ofResult state: JournalEntry.State) -> String {
      state == .done ? recipe : recipe + attempt
    }
  }

  /// Finds the mistakes of the pipeline, independent of the items.
  ///
  /// - Returns: All diagnostics, including warnings.
  package mutating func check(_ items: [BatchItem]) throws -> [Diagnostic] {
    if template.isFolder, document.outputs.isEmpty, !document.hidesOutputs {
      throw TemplateFault(
        text: template.text,
        reason:
          "names a folder, but the pipeline has no outputs that specify a name and a format; "
          + "give for example '\(template.root)/{archive}/{folder}/{stem}.glb'")
    }
    let first = try items.first.map { try template.path(for: $0.place) }
    let shape = shape(forPath: first ?? template.text)
    if !shape.resolution.errors.isEmpty { throw InvalidPipeline(readable(shape, first)) }
    return readable(shape, first)
  }

  /// The diagnostics without the placeholder.
  private func readable(_ shape: Shape, _ path: String?) -> [Diagnostic] {
    // The resolver removes the trailing slash of a folder.
    let sign = template.isFolder ? Self.sign : Self.fileSign(path ?? template.text)
    let text =
      template.isFolder && template.text.hasSuffix("/")
      ? template.text.dropLast() : template.text[...]
    return shape.resolution.diagnostics.map { diagnostic in
      var diagnostic = diagnostic
      diagnostic.file = diagnostic.file.replacing(sign, with: text)
      diagnostic.message = diagnostic.message.replacing(sign, with: text)
      return diagnostic
    }
  }

  /// The hash of the pipeline, for the header of the journal.
  package mutating func pipelineHash(_ items: [BatchItem]) throws -> String {
    let first = try items.first.map { try template.path(for: $0.place) }
    return shape(forPath: first ?? template.text).recipe
  }

  /// The output paths of an item, and their dependencies.
  ///
  /// - Throws: If the item's name does not fit the template, or the extension has no format.
  package mutating func plan(for item: BatchItem) throws -> Plan {
    let target = try template.path(for: item.place)
    let shape = shape(forPath: target)
    guard shape.resolution.pipeline != nil else {
      throw InvalidPipeline(readable(shape, target).filter { $0.severity == .error })
    }
    let sign = Self.fileSign(target)
    let outputs = shape.outputs.map { output in
      // A format that fills a folder has its main file in the one of this name.
      output == sign || output.hasPrefix(sign + "/")
        ? target + output.dropFirst(sign.count)
        : filled(output.replacing(Self.sign + "/", with: target), for: item)
    }
    let recipe: JSONValue = [
      "pipeline": JSONValue(.string(shape.recipe)),
      "outputs": JSONValue(.array(outputs.map { JSONValue(.string($0)) })),
      "frames": (roomNames(of: item, shape) + frameNames(of: item, shape)).json,
      "inputPlugins": JSONValue(.array(plugins(reading: item))),
    ]
    return Plan(target: target, outputs: outputs, recipe: Self.hash(recipe), attempt: attempt)
  }

  // MARK: Shapes

  private static func fileSign(_ path: String) -> String { "\(sign).\(fileExtension(of: path))" }

  private mutating func shape(forPath path: String) -> Shape {
    let sign = template.isFolder ? Self.sign + "/" : Self.fileSign(path)
    if let shape = shapes[sign] { return shape }
    let resolution = document.resolve(in: environment, for: work.request(output: sign))
    let shape = Shape(
      resolution: resolution, outputs: resolution.pipeline?.outputs.map(\.path) ?? [],
      recipe: Self.hash(recipe(of: resolution), as: work.shownPaths))
    shapes[sign] = shape
    return shape
  }

  private func recipe(of resolution: PipelineResolution) -> JSONValue {
    var members: [JSONValue.Member] = [.init("version", JSONValue(.string(meshpipeVersion)))]
    if case .object(let parts)? = resolution.pipeline?.json.content {
      // The same pipeline with another name or description gives the same outputs.
      members += parts.filter { !["file", "description"].contains($0.key) }
    }
    members += work.recipe
    return JSONValue(.object(members))
  }

  /// - Parameter shown: The names of private files, whose paths are others in another run.
  private static func hash(_ json: JSONValue, as shown: ShownPaths = ShownPaths()) -> String {
    SHA256.hexadecimal(of: Array(shown.readable(json).compactText.utf8))
  }

  // MARK: Items

  /// The file of the room beside an item; another one there may be taken.
  ///
  /// For what is beside an item in an archive the hash of its content covers it.
  private func roomNames(of item: BatchItem, _ shape: Shape) -> [String] {
    guard case .disk(let path) = item.origin, work.run.room == .besideInput,
      shape.resolution.usesRoom, let room = environment.captures.room(besideScan: path)
    else { return [] }
    return [room.path]
  }

  /// The names in the folder of the frames: a new file there may be a frame.
  private mutating func frameNames(of item: BatchItem, _ shape: Shape) -> [String] {
    guard shape.resolution.usesFrames else { return [] }
    let captures = environment.captures
    switch (work.run.frames, item.origin) {
    case (.path(let given), _):
      let folder = work.unpackedFrames ?? given
      return names(inShared: folder) { try? captures.find(folder) }
    case (.besideInput, .disk(let path)):
      if FileSystem.isFolder(path) {
        return (try? captures.find(path))?.folder.deepNames ?? []
      }
      return names(inShared: FileSystem.folder(of: path)) { captures.find(besideMesh: path) }
    case (.besideInput, .archive), (.none, _): return []
    }
  }

  /// The names in the folder of a capture, which may be that of thousands of scans.
  private mutating func names(inShared folder: String, _ find: () -> FoundCapture?) -> [String] {
    if let known = lastFolder, known.path == folder { return known.frames }
    let frames = find()?.folder.deepNames ?? []
    lastFolder = (folder, frames)
    return frames
  }

  /// The plugins that may read an item, which the pipeline of all items does not tell: for a capture those of all formats,
  /// because its mesh is found only when it is read.
  private mutating func plugins(reading item: BatchItem) -> [JSONValue] {
    let formats = environment.formats
    var readers = formats.formats.compactMap(\.reader)
    if let id = work.run.inputFormat {
      readers = readers.filter { $0.id == id }
    } else if !item.place.fileExtension.isEmpty {
      readers = [formats.reader(forPath: item.name)].compactMap(\.self)
    }
    return readers.compactMap { reader in
      guard let origin = reader.origin else { return nil }
      if let known = readingPlugins[origin.path] { return known }
      let plugin = origin.json
      readingPlugins[origin.path] = plugin
      return plugin
    }
  }

  private func filled(_ path: String, for item: BatchItem) -> String {
    guard path.contains("${") else { return path }
    var archive: String?
    var input = item.place.stem
    if !item.place.fileExtension.isEmpty { input += ".\(item.place.fileExtension)" }
    switch item.origin {
    case .disk(let path): input = path
    case .archive(let path, _): archive = path
    }
    var path = path
    for variable in BuiltInVariable.allCases {
      let value = variable.value(
        forInput: input, isFolder: item.place.fileExtension.isEmpty, archive: archive)
      if let value { path = path.replacing("${\(variable.rawValue)}", with: value) }
    }
    return path
  }
}
