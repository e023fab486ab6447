import MeshpipeKit
import ReportPage

/// Measures how far two scans or models are from each other.
enum CompareVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let options = try CompareOptions(invocation)
    return try Parallel.withThreads(invocation.integer(of: .jobs) ?? .max) {
      try compare(options, invocation)
    }
  }

  private static func compare(
    _ options: CompareOptions, _ invocation: Invocation
  ) throws -> ExitCode {
    let names = (invocation.operands[0], invocation.operands[1])
    if invocation.has(\.$mesh), !invocation.operands.contains(where: FileSystem.isFolder) {
      throw CaptureError.notAFolder(names.0)
    }
    let heatMap = try options.output.map { try HeatMap(at: $0, invocation) }
    let one = try ComparedFile(names.0, invocation.settings.inputReading, invocation)
    let other = try ComparedFile(names.1, options.secondReading, invocation)
    if let units = ComparedFile.likelyUnits(one, other) { Messages.warn(units) }
    let context = StageContext(cancellation: Signals.cancellation)
    let comparison = try SceneComparison(
      one.scene, other.scene, options.parameters, names: names, in: context)
    for warning in context.warnings { Messages.warn(warning) }
    let photographed = one.photographed(by: other)
    var agreement: PhotographAgreement?
    if let photographed { agreement = try ComparedFile.agreement(of: photographed) }
    let rows = comparison.rows + (agreement?.rows ?? []) + [[]] + ComparedFile.rows(one, other)
    if invocation.has(.json) {
      let members =
        [JSONValue.Member("first", one.json), .init("second", other.json)] + comparison.figures
        + (agreement.map { [.init("agreement", $0.json)] } ?? [])
      let json = JSONValue(.object(members))
      try StandardStream.output.write(PrivateInputs.shown.readable(json).prettyText)
    } else {
      let table = TextLayout.table(rows, right: [1, 2])
      try StandardStream.output.write(
        PrivateInputs.shown.readable(table.joined(separator: "\n") + "\n"))
    }
    if let heatMap, heatMap.isPage {
      var run = ReportedRun(title: "\(names.0) and \(names.1)")
      run.after = (photographed ?? one.scene, FileSystem.name(of: names.0))
      run.agreement = agreement
      run.before = (comparison.placed(other.scene, beside: one.scene), FileSystem.name(of: names.1))
      run.comparison = rows
      run.beginsWithDistances = true
      run.distanceRange = comparison.colorRange(options.range)
      try heatMap.write(
        ReportPage([run], title: run.title, invocation), protecting: one.files + other.files)
    } else if let heatMap {
      try heatMap.write(
        comparison.heatMap(of: one.scene, range: options.range),
        protecting: one.files + other.files)
    }
    guard let limit = options.maximumDistance, comparison.maximumDistance > limit.meters else {
      return .success
    }
    return Messages.report(
      TooFarApart(
        names: names, distance: comparison.maximumDistance,
        limit: invocation.value(of: .maximumDistance) ?? ""))
  }
}

/// The model, the picture or the page that shows distances as colours.
private struct HeatMap {
  private let path: String
  private let invocation: Invocation
  /// Nil for a model.
  private let encoding: PictureEncoding?
  let isPage: Bool
  /// Nil for a picture and for a page.
  private let pipeline: ResolvedPipeline?
  private let transaction: OutputTransaction

  /// Finds out whether it can be written, before anything is compared.
  init(at path: String, _ invocation: Invocation) throws {
    (self.path, self.invocation) = (path, invocation)
    guard path != "-" else {
      throw UsageError(
        "'compare' does not write to standard output; name a file with '--output'",
        verb: invocation.verb)
    }
    transaction = OutputTransaction(overwriting: invocation.settings.overwriting)
    try transaction.check(path)
    isPage = ReportPage.isPath(path)
    if isPage { try ReportPage.requireLibrary() }
    encoding = PictureEncoding(path: path)
    guard encoding == nil, !isPage else {
      pipeline = nil
      return
    }
    var request = PipelineRequest(output: path, run: invocation.settings)
    request.run.frames = .none
    pipeline = try PipelineDocument(stages: [])
      .resolve(in: invocation.environment.pipelines, for: request).get()
  }

  /// - Parameter files: Those of the scans, which stay as they are.
  func write(_ page: ReportPage, protecting files: [String]) throws {
    transaction.protect(files)
    try transaction.check(path)
    try page.write(to: path, in: transaction)
    _ = try transaction.commit()
  }

  /// - Parameter files: Likewise.
  func write(
    _ map: (scene: Scene, scale: ColorScale), protecting files: [String]
  ) throws {
    transaction.protect(files)
    try transaction.check(path)
    guard let encoding else { return try writeModel(map.scene, protecting: files) }
    var style = RenderStyle()
    style.colors = .vertex
    let renderer = try SceneRenderer(map.scene, style: style) { Messages.warn($0) }
    let camera = renderer.camera(for: renderer.defaultView, size: PreviewOptions.defaultSize)
    var picture = try renderer.picture(from: camera, cancellation: Signals.cancellation)
    map.scale.draw(on: &picture)
    try encoding.write(picture, to: path, in: transaction)
    _ = try transaction.commit()
  }

  private func writeModel(_ scene: Scene, protecting files: [String]) throws {
    guard let pipeline else { return }
    // Formats such as OBJ write further files beside, named after it.
    let stem = path.dropLast(fileExtension(of: path).count)
    if let file = files.first(where: { $0.hasPrefix(stem) }) {
      throw UsageError(
        "'\(path)' may replace '\(file)', which belongs to an input; give it another name",
        verb: invocation.verb)
    }
    let runner = PipelineRunner(
      pipeline, options: .init(invocation.settings), cancellation: Signals.cancellation)
    for warning in try runner.run(on: scene).allWarnings { Messages.warn(warning) }
  }
}

/// One of the two scans, with what it contains.
private struct ComparedFile {
  let name: String
  let scene: Scene
  /// The file of the scan and those that it refers to.
  let files: [String]
  private let format: FormatReader
  private let summary: SceneSummary

  init(_ argument: String, _ reading: InputReading, _ invocation: Invocation) throws {
    name = argument
    let input = try InputFile(
      argument, formatID: invocation.settings.inputFormat, formats: invocation.formats)
    let isFolder = try FileSystem.status(of: input.path)?.isFolder == true
    let file = isFolder ? try SceneInput.meshFile(of: input, invocation) : input
    format = try SceneInput.format(of: file, invocation)
    var frames = try isFolder ? builtInCaptures.find(input.path) : nil
    frames?.reading = invocation.settings.framesReading
    let source = ScanSource(path: file.path, format: format, frames: frames, reading: reading)
    let context: ReadingContext
    (context, _, scene) = try SceneInput.read(source, invocation)
    files = [file.path] + context.openedFiles
    summary = SceneSummary(scene)
  }

  /// What the sizes of two scans say of their units: nothing unless one is as many times the other as two units are.
  static func likelyUnits(_ one: ComparedFile, _ other: ComparedFile) -> String? {
    let sizes = [one, other].map { $0.summary.sizeInMeters.max() }
    guard let smaller = sizes.min(), let greater = sizes.max(), smaller > 0 else { return nil }
    let ratio = greater / smaller
    let units = [(1000.0, "millimetres"), (100, "centimetres"), (25.4, "inches"), (304.8, "feet")]
    guard let unit = units.first(where: { abs(ratio / $0.0 - 1) < 0.05 }) else { return nil }
    let suspect = sizes[0] > sizes[1] ? one : other
    return
      "\(suspect.name) is \(NumberText.fixed(ratio, digits: 1)) times as large as the other, as of \(unit.1) taken for "
      + "metres: '--input-unit' says the unit of both, and '--second-unit' that of the second alone"
  }

  /// The model with the photographs of a capture, in whose coordinates it is; nil if the other is none.
  func photographed(by capture: ComparedFile) -> Scene? {
    guard capture.scene.capture?.frames.isEmpty == false else { return nil }
    var model = scene
    model.align(with: capture.scene)
    model.capture = capture.scene.capture
    return model
  }

  /// How far a model looks like its photographs; nil if none of them shows it.
  static func agreement(of model: Scene) throws -> PhotographAgreement? {
    let agreement = try PhotographAgreement(model) { try Signals.cancellation.checkCancellation() }
    return agreement.views.isEmpty ? nil : agreement
  }

  var json: JSONValue { summary.json(file: name, format: format.id) }

  /// What differs between the contents of two scans, or is worth knowing of both.
  static func rows(_ one: ComparedFile, _ other: ComparedFile) -> [[String]] {
    func row(_ title: String, isAlways: Bool = false, _ value: (ComparedFile) -> String)
      -> [[String]]
    {
      let values = (value(one), value(other))
      return isAlways || values.0 != values.1 ? [[title, values.0, values.1]] : []
    }
    func volume(_ summary: SceneSummary) -> String {
      summary.volume.map { NumberText.fixed($0, digits: 6) + " m3" } ?? "open"
    }
    var rows = row("", isAlways: true) { FileSystem.name(of: $0.name) }
    rows += row("format") { $0.format.name }
    rows += row("meshes") { NumberText.grouped($0.summary.parts.count) }
    let hasFaces = one.summary.faces + other.summary.faces > 0
    let hasPoints = one.summary.points + other.summary.points > 0
    rows += row("faces", isAlways: hasFaces) { NumberText.grouped($0.summary.faces) }
    rows += row("vertices", isAlways: hasFaces) { NumberText.grouped($0.summary.vertices) }
    rows += row("points", isAlways: hasPoints) { NumberText.grouped($0.summary.points) }
    rows += row("area", isAlways: hasFaces) { NumberText.fixed($0.summary.area, digits: 4) + " m2" }
    rows += row("volume") { volume($0.summary) }
    rows += row("size") { summary in
      let size = summary.summary.sizeInMeters
      return [size.x, size.y, size.z].map { NumberText.fixed($0, digits: 3) }.joined(
        separator: " x ")
        + " m"
    }
    rows += row("components") { NumberText.grouped($0.summary.components) }
    rows += row("boundary edges") { NumberText.grouped($0.summary.boundaryEdges) }
    rows += row("non-manifold edges") { NumberText.grouped($0.summary.nonManifoldEdges) }
    rows += row("axes and unit") { InfoText.axes($0.summary.coordinateSystem) }
    rows += row("materials") { NumberText.grouped($0.summary.materials.count) }
    rows += row("textures") { NumberText.grouped($0.summary.textures.count) }
    rows += row("holds") { $0.summary.features.map(\.rawValue).joined(separator: ", ") }
    return rows
  }
}

/// What a call of 'compare' asks for.
private struct CompareOptions {
  let output: String?
  let parameters: Compare.Parameters
  let maximumDistance: Length?
  let range: Length?
  /// What is said of the second scan.
  let secondReading: InputReading

  init(_ invocation: Invocation) throws(UsageError) {
    func length(_ option: Option) throws(UsageError) -> Length? {
      guard let word = invocation.value(of: option) else { return nil }
      do throws(ParameterFault) {
        let length = try Length(json: word.json)
        guard length.meters > 0 else {
          throw ParameterFault("'\(word)' is not greater than 0")
        }
        return length
      } catch {
        throw UsageError("option '\(option.name)': \(error.message)", verb: invocation.verb)
      }
    }
    output = invocation.value(of: .heatMap)
    var parameters = Compare.Parameters()
    if let samples = invocation.integer(of: .samples) { parameters.samples = samples }
    if let seed = invocation.integer(of: .seed) { parameters.seed = seed }
    parameters.align = invocation.has(.align)
    if invocation.has(.m3c2) { parameters.method = .m3c2 }
    self.parameters = parameters
    var reading = invocation.settings.inputReading
    if let unit = invocation.value(of: .secondUnit) {
      reading.metersPerUnit = (try? LengthUnit(word: unit))?.meters
    }
    if let up = invocation.value(of: .secondUp) { reading.up = SignedAxis(rawValue: up) }
    secondReading = reading
    maximumDistance = try length(.maximumDistance)
    if invocation.has(.reportFaces), output.map(ReportPage.isPath) != true {
      throw UsageError("'--report-faces' is for '--output NAME.html'", verb: invocation.verb)
    }
    range = try length(.colorRange)
    if range != nil, output == nil {
      throw UsageError("'--range' is for the colours of '--output'", verb: invocation.verb)
    }
  }
}

/// The options that only 'compare' has.
extension Option {
  static let heatMap = Option(
    "--output", "-o", in: .output, value: .file("PATH"),
    help:
      "Write the first scan with its vertices coloured by distance, blue behind the second and red in front of it: "
      + "a model (.ply, .glb and others), a picture (.png, .jpg), or a page with both to turn (.html)."
  )
  static let secondUnit = Option(
    "--second-unit", in: .input, value: .choice("UNIT", LengthUnit.names),
    help: "The unit of the second scan, if it is another one than that of '--input-unit'.")
  static let secondUp = Option(
    "--second-up", in: .input, value: .choice("AXIS", SignedAxis.allCases.map(\.rawValue)),
    help: "The up axis of the second scan, if it is another one than that of '--input-up'.")
  static let maximumDistance = Option(
    "--max-distance", in: .comparison, value: .text("LENGTH"),
    help: "Exit with 65 if any distance exceeds this one, such as 2mm.")
  static let align = Option(
    "--align", in: .comparison,
    help: "Move the second scan onto the first before they are compared, as a rigid body.")
  static let m3c2 = Option(
    "--m3c2", in: .comparison,
    help:
      "Also compare two point clouds along their normals, with the level below which a difference is noise (M3C2)."
  )
  static let samples = Option(
    "--samples", in: .comparison, value: .integer("N", 100...10_000_000),
    help: "The number of points on the faces of each scan; default 200000.")
  static let seed = Option(
    "--seed", in: .comparison, value: .integer("N", 0...1_000_000_000),
    help: "Seed of the positions of the points; default 1.")
  static let colorRange = Option(
    "--range", in: .output, value: .text("LENGTH"),
    help:
      "The distance at which the colours end; default the one that 95 % of the surface does not exceed."
  )
}

/// Two scans between which a distance is greater than allowed.
private struct TooFarApart: UserError {
  let names: (String, String)
  /// In metres.
  let distance: Double
  /// As typed.
  let limit: String

  var exitCode: ExitCode { .data }
  var message: String {
    "\(names.0) and \(names.1) are up to \(LengthScale(of: [distance]).text(distance)) apart, more than "
      + "'--max-distance' \(limit)"
  }
}
