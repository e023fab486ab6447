import MeshpipeBase
import MeshpipeScene

/// One way to write an output.
struct OutputForm {
  /// The options of the format that differ from the output's.
  var options: [String: JSONValue] = [:]
  /// Nil for the textures that the scene has.
  var textures: TextureLimit?

  /// Adds to the report what was made smaller, if anything.
  func note(in context: StageContext) {
    if let textures {
      if !textures.keepsSize { context.note("textureSize", textures.maximumSize.json) }
      context.note("quality", textures.quality.json)
    }
    for (name, value) in options.sorted(by: { $0.key < $1.key }) { context.note(name, value) }
    if !options.isEmpty {
      context.warn(
        "to stay within 'maximumBytes' it has \(optionWords), which a program that opens it must support"
      )
    }
    if !words.isEmpty { context.note("summary", "to fit: \(words)".json) }
  }

  /// What was made smaller: `textures of at most 1024 pixels, JPEG quality 70, compression
  /// quantize`.
  fileprivate var words: String {
    var parts: [String] = []
    if let textures {
      parts.append(
        textures.keepsSize
          ? "JPEG quality \(textures.quality)"
          : "textures of at most \(textures.maximumSize) pixels, JPEG quality \(textures.quality)")
    }
    if !options.isEmpty { parts.append(optionWords) }
    return parts.joined(separator: ", ")
  }

  /// `compression draco`.
  private var optionWords: String {
    options.keys.sorted().map { "\($0) \(options[$0]?.plainText ?? "")" }.joined(separator: ", ")
  }
}

/// Finds the form of an output that stays within its limit.
struct OutputFitting {
  /// Writes the levels of a scene in a form, in place of what was written before, and returns the bytes of the
  /// files.
  typealias Write = ([Scene], OutputForm) throws -> Int

  private let limit: OutputLimit
  private let context: StageContext
  /// The levels with textures at full size, which several forms have.
  private var levelsAtFullSize: [TextureLimit: [Scene]] = [:]
  /// The smallest number of bytes so far.
  private var least = Int.max

  init(_ limit: OutputLimit, in context: StageContext) {
    self.limit = limit
    self.context = context
  }

  /// Writes the scene in the first form that fits.
  ///
  /// - Parameter levels: The scene; further ones are lighter levels of it for the same file.
  /// - Throws: ``OutputTooLarge`` if none does.
  mutating func fit(_ levels: [Scene], write: Write) throws -> OutputForm {
    let forms = [[:]] + limit.smallerForms
    for (index, options) in forms.enumerated() {
      let isLast = index == forms.count - 1
      if let fit = try fit(levels, options, resizing: isLast, write) { return fit.form }
    }
    throw OutputTooLarge(
      least: least, limit: limit.bytes, fitting: try otherForm(thatFits: levels, write))
  }

  /// The first of the forms that may not be written that would fit, with its bytes; nil if none would.
  private mutating func otherForm(thatFits levels: [Scene], _ write: Write) throws
    -> (words: String, bytes: Int)?
  {
    for options in limit.otherForms {
      do {
        if let fit = try fit(levels, options, resizing: true, write) {
          return (fit.form.words, fit.bytes)
        }
      } catch let error as Cancelled {
        throw error
      } catch {
        // What can't be written doesn't fit; the file that is too large is the error.
      }
    }
    return nil
  }

  /// - Parameter resizing: Whether textures may lose size.
  private mutating func fit(
    _ levels: [Scene], _ options: [String: JSONValue], resizing: Bool, _ write: Write
  ) throws -> (form: OutputForm, bytes: Int)? {
    var form = OutputForm(options: options)
    let written = try write(levels, form)
    least = min(least, written)
    if written <= limit.bytes { return (form, written) }
    guard let textureLimiter = limit.textureLimiter,
      levels.contains(where: { !$0.textures.isEmpty })
    else { return nil }
    // What has no known size may be large.
    let largest = levels.flatMap(\.textures).map { $0.pixelSize?.max() ?? .max }.max() ?? 0
    for textures in TextureLimit.ladder
    where textures.keepsSize || resizing && textures.maximumSize < largest {
      try context.checkCancellation()
      var lighter = levelsAtFullSize[textures] ?? []
      if lighter.isEmpty {
        let limiter = textureLimiter(textures)
        lighter = try levels.map { try limiter.run($0, in: context.apart) }
        if textures.keepsSize { levelsAtFullSize[textures] = lighter }
      }
      form.textures = textures
      let written = try write(lighter, form)
      least = min(least, written)
      if written <= limit.bytes { return (form, written) }
      // However a format encodes textures, smaller ones won't make up for the rest.
      if written > limit.bytes + Self.mostPerByte * Self.textureBytes(of: lighter) { return nil }
    }
    return nil
  }

  /// The bytes that a format makes of one of a texture at most, as a PNG of a JPEG.
  private static let mostPerByte = 16

  /// Levels share what is the same in several.
  private static func textureBytes(of levels: [Scene]) -> Int {
    guard levels.count > 1 else { return levels[0].textures.reduce(0) { $0 + $1.bytes.count } }
    return Set(levels.flatMap { $0.textures.map(\.bytes) }).reduce(0) { $0 + $1.count }
  }
}

/// An output that can't be made as small as its `maximumBytes`.
struct OutputTooLarge: UserError {
  var least: Int
  var limit: Int
  /// What would fit, if it were allowed.
  var fitting: (words: String, bytes: Int)?

  var exitCode: ExitCode { .data }
  var message: String {
    """
    has at least \(NumberText.byteCount(least)), more than its 'maximumBytes' of \
    \(NumberText.byteCount(limit)) allows; \(wayOut)
    """
  }

  private var wayOut: String {
    guard let fitting else { return "reduce its faces, or raise the limit" }
    return """
      it would have \(NumberText.byteCount(fitting.bytes)) with \(fitting.words), for readers that know it; otherwise \
      reduce its faces, or raise the limit
      """
  }
}
