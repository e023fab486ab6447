import MeshpipeKit
import ReportPage

/// Renders images of a scan or model.
enum PreviewVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let page = try PreviewPage(invocation)
    let options = page == nil ? try PreviewOptions(invocation) : nil
    return try Parallel.withThreads(invocation.integer(of: .jobs) ?? .max) {
      if let options {
        try show(options.paths, comparing: options.compared, invocation) {
          try render($0, options, into: $2)
        }
      } else if let page {
        try show([page.output], comparing: page.compared, invocation) {
          try write(page, of: $0, name: $1, into: $2, invocation)
        }
      }
      return .success
    }
  }

  /// Reads the model, and shows it by a function of it, its name and the transaction of the outputs.
  ///
  /// - Parameter capture: The path of the capture to compare with.
  private static func show(
    _ paths: [String], comparing capture: String?, _ invocation: Invocation,
    by work: (Scene, String, OutputTransaction) throws -> Void
  ) throws {
    let transaction = OutputTransaction(overwriting: invocation.settings.overwriting)
    for path in paths { try transaction.check(path) }
    let formats = try invocation.formats
    let input = try InputFile(
      invocation.operands[0], formatID: invocation.settings.inputFormat, formats: formats)
    do {
      let mesh = try SceneInput.meshFile(of: input, invocation)
      var frames = try capture.map { try UnpackedArchives.capture(at: $0) }
      frames?.reading = invocation.settings.framesReading
      // A preview also shows frames that don't fit.
      frames?.reading.misfits = .shown
      let (context, scene) = try SceneInput.read(
        mesh.path, as: SceneInput.format(of: mesh, invocation), frames: frames, invocation)
      transaction.protect([mesh.path] + context.openedFiles)
      try work(scene, FileSystem.name(of: input.name), transaction)
    } catch is EmptyScene {
      throw NothingToSee(name: input.name)
    }
    _ = try transaction.commit()
  }

  private static func write(
    _ page: PreviewPage, of scene: Scene, name: String, into transaction: OutputTransaction,
    _ invocation: Invocation
  ) throws {
    let html = try page.page(of: scene, name: name, invocation)
    if page.output == "-" { return try StandardStream.output.write(html.html) }
    try html.write(to: page.output, in: transaction)
  }

  private static func render(
    _ scene: Scene, _ options: PreviewOptions, into transaction: OutputTransaction
  ) throws {
    let renderer = try SceneRenderer(scene, style: options.style) { Messages.warn($0) }
    if let compared = options.compared {
      let comparison = FrameComparison(
        try frame(options.frame, of: scene.capture, at: compared), largestSize: options.size,
        showsDifference: options.showsDifference, turnsUpright: scene.capture?.saysUp ?? true)
      let picture = try comparison.picture(
        of: renderer, background: options.background, cancellation: Signals.cancellation)
      return try write(picture, to: options.output, options, transaction)
    }
    let view = options.view(of: renderer)
    if options.isOrthographic {
      return try renderParallel(
        renderer, view, metersPerUnit: scene.coordinateSystem.metersPerUnit, options, transaction)
    }
    let cameras =
      options.turntable.map { renderer.turntable(from: view, count: $0, size: options.size) }
      ?? [renderer.camera(for: view, size: options.size)]
    for (path, camera) in zip(options.paths, cameras) {
      let picture = try renderer.picture(
        from: camera, background: options.background, cancellation: Signals.cancellation)
      try write(picture, to: path, options, transaction)
    }
  }

  /// Renders along parallel lines, all images of a turntable at one scale.
  private static func renderParallel(
    _ renderer: SceneRenderer, _ view: Viewpoint, metersPerUnit: Double,
    _ options: PreviewOptions, _ transaction: OutputTransaction
  ) throws {
    let count = options.turntable ?? 1
    let views = (0..<count).map { index in
      var turned = view
      turned.azimuth += 360 * Double(index) / Double(count)
      return turned
    }
    let extents = views.map { renderer.extent(from: $0) }
    let layout =
      try options.print?.layout(of: extents, metersPerUnit: metersPerUnit)
      ?? OrthographicLayout(of: extents, size: options.size, metersPerUnit: metersPerUnit)
    for (path, view) in zip(options.paths, views) {
      let picture = try renderer.picture(
        from: view, layout, background: options.background, cancellation: Signals.cancellation)
      try write(picture, to: path, options, transaction)
    }
  }

  /// The frame given by the user, or the middle one.
  private static func frame(
    _ name: String?, of capture: Capture?, at path: String
  ) throws -> Capture.Frame {
    let frames = capture?.frames ?? []
    guard let first = frames.first, let last = frames.last else {
      throw CaptureError(path, "the capture has no frames")
    }
    guard let name else { return frames[frames.count / 2] }
    if let frame = capture?.frame(name) { return frame }
    throw CaptureError(
      path,
      "no frame '\(name)'; there are \(frames.count): 0 to \(frames.count - 1), "
        + "'\(first.name)' to '\(last.name)'", exitCode: .usage)
  }

  private static func write(
    _ picture: RenderedPicture, to path: String, _ options: PreviewOptions,
    _ transaction: OutputTransaction
  ) throws {
    try options.encoding.write(
      picture, isTransparent: options.background == .transparent,
      dotsPerInch: options.print?.dotsPerInch, to: path, in: transaction)
  }
}

extension PictureEncoding {
  /// Writes a picture as an output of a transaction, which is still to be committed.
  func write(
    _ picture: RenderedPicture, isTransparent: Bool = false, dotsPerInch: Int? = nil,
    to path: String, in transaction: OutputTransaction
  ) throws {
    let output = try transaction.begin(path)
    let file = try FileWriter(creating: output.mainPath)
    try file.write(
      bytes(of: picture, isTransparent: isTransparent, dotsPerInch: dotsPerInch))
    try file.finish()
    try transaction.seal(output)
  }
}

/// A scan that can't be rendered.
struct NothingToSee: UserError {
  let name: String
  var exitCode: ExitCode { .data }
  var message: String { "\(name): \(EmptyScene().message)" }
}
