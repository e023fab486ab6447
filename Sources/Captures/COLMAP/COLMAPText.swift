import MeshPipeline

/// COLMAP's text files.
enum COLMAPText {
  static func cameras(
    _ bytes: [UInt8], path: String, in context: CaptureReadingContext
  ) throws(CaptureError) -> [Int: COLMAPCamera] {
    var cameras: [Int: COLMAPCamera] = [:]
    for (number, line) in PlainText.lines(bytes).enumerated() {
      let words = PlainText.words(line)
      guard let first = words.first, first.first != UInt8(ascii: "#") else { continue }
      let numbers = words.dropFirst(2).compactMap(PlainText.number)
      guard let id = Int(PlainText.text(first)), words.count >= 5,
        numbers.count == words.count - 2, let width = Int(exactly: numbers[0]),
        let height = Int(exactly: numbers[1])
      else {
        throw CaptureError(
          path, at: SourcePosition(line: number + 1, column: 1),
          "is not a camera: expected CAMERA_ID MODEL WIDTH HEIGHT PARAMS")
      }
      cameras[id] = COLMAPCamera(
        model: PlainText.text(words[1]).uppercased(), size: SIMD2(width, height),
        parameters: Array(numbers.dropFirst(2)))
    }
    return cameras
  }

  /// The images; each is followed by a line of points, which may be empty.
  static func images(
    _ bytes: [UInt8], path: String, in context: CaptureReadingContext
  ) throws(CaptureError) -> [COLMAPImage] {
    var images: [COLMAPImage] = []
    var expectsPoints = false
    for (number, line) in PlainText.lines(bytes).enumerated() {
      if expectsPoints {
        expectsPoints = false
        // Some programs omit the line.
        if !isImage(line) { continue }
      }
      guard let first = line.first(where: { $0 > 0x20 }), first != UInt8(ascii: "#") else {
        continue
      }
      guard let image = image(line) else {
        throw CaptureError(
          path, at: SourcePosition(line: number + 1, column: 1),
          "is not an image: expected IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME")
      }
      images.append(image)
      expectsPoints = true
    }
    return images
  }

  /// Whether a line is an image and not a line of points, which has only numbers.
  private static func isImage(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.prefix(1000).split(
      maxSplits: 9, whereSeparator: { $0 == 0x20 || $0 == 0x09 })
    return words.count == 10 && !words[9].isEmpty
      && words[9].contains {
        !(0x2B...0x39).contains($0) && ![0x20, 0x09, 0x45, 0x65].contains($0)
      }
      && image(line) != nil
  }

  private static func image(_ line: ArraySlice<UInt8>) -> COLMAPImage? {
    // A name may contain spaces.
    let words = line.split(maxSplits: 9, whereSeparator: { $0 == 0x20 || $0 == 0x09 })
    guard words.count == 10, let id = Int(PlainText.text(words[0])),
      let camera = Int(PlainText.text(words[8]))
    else { return nil }
    let numbers = words[1..<8].compactMap(PlainText.number)
    var name = words[9]
    while let last = name.last, last <= 0x20 { name.removeLast() }
    guard numbers.count == 7, !name.isEmpty else { return nil }
    return COLMAPImage(id: id, name: PlainText.text(name), camera: camera, numbers: numbers)
  }
}
