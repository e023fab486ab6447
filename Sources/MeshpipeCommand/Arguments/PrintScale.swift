import MeshpipeKit

/// The size on paper that '--scale' asks of an orthographic image.
struct PrintScale {
  private let scale: Scale
  let dotsPerInch: Int

  private static let usualDotsPerInch = 200
  /// The scales that are named where one does not fit, the largest first.
  private static let denominators = (0..<8).flatMap { power in
    [1.0, 2, 5].map { $0 * (0..<power).reduce(1) { product, _ in product * 10 } }
  }

  /// - Returns: Nil without '--scale'.
  init?(_ invocation: Invocation) throws(UsageError) {
    func fault(_ message: String) -> UsageError { UsageError(message, verb: invocation.verb) }
    guard let text = invocation.value(of: .scale) else {
      if invocation.has(.dotsPerInch) { throw fault("'--dpi' requires '--scale SCALE'") }
      return nil
    }
    if invocation.has(.size) {
      throw fault("'--scale' sets the size of the image; leave out '--size'")
    }
    guard let scale = try? Scale(json: JSONValue(.string(text))) else {
      throw fault("option '--scale': '\(text)' is not a scale like 1:50")
    }
    self.scale = scale
    dotsPerInch = invocation.integer(of: .dotsPerInch) ?? Self.usualDotsPerInch
  }

  /// The layout of images that show all of these widths and heights, in units of the scene.
  ///
  /// - Throws: ``PictureTooLarge``.
  func layout(
    of extents: [SIMD2<Double>], metersPerUnit: Double
  ) throws(PictureTooLarge) -> OrthographicLayout {
    func layout(_ scale: Scale) -> OrthographicLayout {
      OrthographicLayout(
        of: extents, denominator: 1 / scale.factor, scale: scale.text, dotsPerInch: dotsPerInch,
        metersPerUnit: metersPerUnit)
    }
    func fits(_ layout: OrthographicLayout) -> Bool {
      layout.size.max() <= PreviewOptions.longestSide
        && layout.size.x * layout.size.y <= PreviewOptions.largestArea
    }
    let wanted = layout(scale)
    guard !fits(wanted) else { return wanted }
    let smaller = Self.denominators.map { Scale(factor: 1 / $0) }.filter {
      $0.factor < scale.factor
    }
    throw PictureTooLarge(
      scale: scale, dotsPerInch: dotsPerInch, size: wanted.size,
      fitting: smaller.first { fits(layout($0)) })
  }
}

/// An image to scale that would have too many pixels.
struct PictureTooLarge: UserError {
  let scale: Scale
  let dotsPerInch: Int
  let size: SIMD2<Int>
  /// The largest usual scale at which the image is not too large.
  let fitting: Scale?

  var exitCode: ExitCode { .usage }
  var message: String {
    "at \(scale.text) and \(dotsPerInch) dpi the image would have \(NumberText.grouped(size.x)) x "
      + "\(NumberText.grouped(size.y)) pixels, but \(PreviewOptions.longestSide) a side and "
      + "\(PreviewOptions.largestArea / 1_000_000) million are the most; "
      + (fitting.map { "use '--scale \($0.text)', which fits, or a smaller '--dpi'" }
        ?? "check the scan's unit ('--input-unit')")
  }
}
