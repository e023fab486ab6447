import MeshpipeKit

/// The options that only 'preview' has.
extension Option {
  static let picture = Option(
    "--output", "-o", in: .output, value: .file("IMAGE"),
    help:
      "The image to write: a .png or .jpg file; '-' is standard output, as PNG. A .html file is a page with the model to turn."
  )
  static let view = Option(
    "--view", in: .look, value: .named("VIEW", .view),
    help:
      "The viewpoint: \(Viewpoint.names.joined(separator: ", ")), or AZIMUTH,ELEVATION in degrees "
      + "('45,20': from the front right, a little above), or inside,AZIMUTH,ELEVATION.")
  static let size = Option(
    "--size", in: .output, value: .text("SIZE"),
    help: "WIDTHxHEIGHT in pixels, or a width only, for an aspect ratio of 4:3; default 1600x1200. "
      + "With --compare, the maximum size of each image.")
  static let orthographic = Option(
    "--orthographic", in: .look,
    help:
      "Look along parallel lines, from above unless --view says otherwise, and draw a bar that shows the scale."
  )
  static let scale = Option(
    "--scale", in: .output, value: .text("SCALE"),
    help:
      "The scale of a print of an orthographic image, such as 1:50; sets its size in pixels and its "
      + "resolution.")
  static let dotsPerInch = Option(
    "--dpi", in: .output, value: .integer("N", 10...2400),
    help: "The resolution of an image with --scale, in pixels per inch; default 200.")
  static let turntable = Option(
    "--turntable", in: .output, value: .integer("N", 1...3600),
    help: "Write N images all around the model, out-000.png and so on; %d or %03d in the "
      + "name of IMAGE is replaced by the number.")
  static let shading = Option(
    "--shading", in: .look, value: .choice("HOW", RenderStyle.Shading.allCases.map(\.rawValue)),
    help: "auto lights everything without photographed colours; unlit shows colours as stored.")
  static let colors = Option(
    "--colors", in: .look, value: .choice("SOURCE", RenderStyle.Colors.allCases.map(\.rawValue)),
    help: "The source of colours; auto takes the best that each face has.")
  static let sides = Option(
    "--sides", in: .look, value: .choice("SIDES", RenderStyle.Sides.allCases.map(\.rawValue)),
    help: "The visible side of a face; auto opens a room like a doll's house.")
  static let edges = Option("--edges", in: .look, help: "Draw the edges of faces.")
  static let background = Option(
    "--background", in: .look, value: .text("COLOR"),
    help: "#rrggbb, white, black, grey or transparent; default a light grey.")
  static let compare = Option(
    "--compare", in: .comparison, value: .file("CAPTURE"),
    help: "Show a photograph of this capture, and to its right the model from the same camera.")
  static let frame = Option(
    "--frame", in: .comparison, value: .text("FRAME"),
    help:
      "The photograph for --compare: its name, its file name or its index, counted from 0; default the "
      + "middle one.")
  static let difference = Option(
    "--difference", in: .comparison,
    help: "With --compare, show twice the difference in a third image.")
}

/// What a call of 'preview' asks for.
struct PreviewOptions {
  static let defaultSize = SIMD2(1600, 1200)
  static let longestSide = 30_000
  /// So that a typing error does not ask for more memory than there is.
  static let largestArea = 100_000_000
  /// The most texels of a texture for each pixel of the picture.
  private static let texelsPerPixel = 16

  let output: String
  let encoding: PictureEncoding
  let size: SIMD2<Int>
  let style: RenderStyle
  let background: Background
  let turntable: Int?
  /// Whether rays are parallel, and a bar shows the scale.
  let isOrthographic: Bool
  /// The size on paper; nil if it is open.
  let print: PrintScale?
  /// The path of the capture to compare with.
  let compared: String?
  /// The frame to compare with, as typed.
  let frame: String?
  let showsDifference: Bool
  private let viewText: String?

  init(_ invocation: Invocation) throws(UsageError) {
    let verb = invocation.verb
    func fault(_ message: String) -> UsageError { UsageError(message, verb: verb) }
    try invocation.exclude(\.$replacesReadOnly, \.$keepsExisting)
    guard let output = invocation.value(of: .picture) else {
      throw fault("'preview' needs an output: -o IMAGE")
    }
    self.output = output
    guard let encoding = output == "-" ? .png : PictureEncoding(path: output) else {
      throw fault("option '--output': '\(output)' is not a .png, .jpg, .jpeg or .html file")
    }
    self.encoding = encoding
    if invocation.has(.reportFaces) { throw fault("'--report-faces' is for '-o NAME.html'") }
    turntable = invocation.integer(of: .turntable)
    if turntable != nil, output == "-" {
      throw fault("'--turntable' writes several images, but standard output takes only one")
    }
    size = try Self.size(invocation)
    print = try PrintScale(invocation)
    isOrthographic = print != nil || invocation.has(.orthographic)
    compared = invocation.value(of: .compare)
    frame = invocation.value(of: .frame)
    showsDifference = invocation.has(.difference)
    try Self.checkComparison(invocation)
    var style = compared == nil ? RenderStyle() : .comparison
    if let name = invocation.value(of: .shading) {
      style.shading = RenderStyle.Shading(rawValue: name) ?? style.shading
    }
    if let name = invocation.value(of: .colors) {
      style.colors = RenderStyle.Colors(rawValue: name) ?? style.colors
    }
    if let name = invocation.value(of: .sides) {
      style.sides = RenderStyle.Sides(rawValue: name) ?? style.sides
    }
    style.showsEdges = invocation.has(.edges)
    // More are not seen, unless from very near.
    style.mostTexels = max(1 << 24, Self.texelsPerPixel * size.x * size.y)
    self.style = style
    background = try Self.background(invocation)
    if background == .transparent, encoding != .png {
      throw fault("option '--background': only PNG can be transparent")
    }
    viewText = invocation.value(of: .view)
    if let viewText, Viewpoint(viewText, isOpened: false) == nil {
      throw fault(
        "option '--view': '\(viewText)' is not one of \(Viewpoint.names.joined(separator: ", ")), "
          + "nor AZIMUTH,ELEVATION with an elevation from -90 to 90")
    }
    try checkOrthographic(invocation)
  }

  private func checkOrthographic(_ invocation: Invocation) throws(UsageError) {
    guard isOrthographic else { return }
    let least = OrthographicLayout.leastSize
    if let viewText, Viewpoint(viewText, isOpened: false)?.isInside == true {
      throw UsageError(
        "option '--view': an orthographic image has no place inside; leave out 'inside'",
        verb: invocation.verb)
    }
    if any(size .< least) {
      throw UsageError(
        "option '--size': an orthographic image needs at least \(least.x)x\(least.y) pixels for its bar",
        verb: invocation.verb)
    }
  }

  /// The view that the user wants, or the one that fits the scene.
  func view(of renderer: SceneRenderer) -> Viewpoint {
    if isOrthographic, viewText == nil { return .top }
    guard let viewText, viewText != "three-quarter" else { return renderer.defaultView }
    return Viewpoint(viewText, isOpened: renderer.isOpened) ?? renderer.defaultView
  }

  /// The files to write, in order.
  var paths: [String] {
    guard let turntable else { return [output] }
    return (0..<turntable).map { NumberedName.path(output, number: $0) }
  }

  private static func checkComparison(_ invocation: Invocation) throws(UsageError) {
    let isComparison = invocation.has(.compare)
    let others: [Option] =
      isComparison ? [.view, .turntable, .orthographic, .scale] : [.frame, .difference]
    guard let other = others.first(where: { invocation.has($0) }) else { return }
    throw UsageError(
      isComparison
        ? "'--compare' takes its view from the photograph; leave out '\(other.name)'"
        : "'\(other.name)' requires '--compare CAPTURE'", verb: invocation.verb)
  }

  private static func size(_ invocation: Invocation) throws(UsageError) -> SIMD2<Int> {
    guard let text = invocation.value(of: .size) else { return defaultSize }
    let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    var size = SIMD2(0, 0)
    if parts.count == 2, let width = parts[0], let height = parts[1] {
      size = SIMD2(width, height)
    } else if parts.count == 1, let width = parts[0], width > 0 {
      size = SIMD2(width, max(1, width / 4 * 3 + width % 4 * 3 / 4))
    }
    guard (1...longestSide).contains(size.x), (1...longestSide).contains(size.y) else {
      throw UsageError(
        "option '--size': '\(text)' is neither WIDTHxHEIGHT nor a width, from 1 to \(longestSide) pixels",
        verb: invocation.verb)
    }
    guard size.x * size.y <= largestArea else {
      throw UsageError(
        "option '--size': \(text) is more than \(largestArea / 1_000_000) million pixels",
        verb: invocation.verb)
    }
    return size
  }

  private static func background(_ invocation: Invocation) throws(UsageError) -> Background {
    switch invocation.value(of: .background) {
    case nil: return .gradient
    case "transparent": return .transparent
    case "white": return .color(.white)
    case "black": return .color(Color(red: 0, green: 0, blue: 0))
    case "grey", "gray": return .color(Color(red: 128, green: 128, blue: 128))
    case .some(let text):
      guard text.utf8.count == 7, text.hasPrefix("#"), !text.contains("+"),
        let code = UInt32(text.dropFirst(), radix: 16)
      else {
        throw UsageError(
          "option '--background': '\(text)' is neither #rrggbb nor white, black, grey or transparent",
          verb: invocation.verb)
      }
      return .color(
        Color(
          red: UInt8(code >> 16 & 255), green: UInt8(code >> 8 & 255), blue: UInt8(code & 255)))
    }
  }
}

/// Names of files of which there is one for each number.
enum NumberedName {
  /// The path for a number: in the place of `%d` or `%03d`, or with three digits before the extension.
  static func path(_ path: String, number: Int) -> String {
    let name = FileSystem.name(of: path)
    let head = path.dropLast(name.count)
    if let match = name.firstMatch(of: /%(?:0([1-9]))?d/) {
      let digits = String(number, digits: match.output.1.flatMap { Int($0) } ?? 1)
      return head + name.replacingCharacters(match.range, with: digits)
    }
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    return head + name[..<dot] + "-\(String(number, digits: 3))" + name[dot...]
  }
}

extension String {
  fileprivate func replacingCharacters(_ range: Range<Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
