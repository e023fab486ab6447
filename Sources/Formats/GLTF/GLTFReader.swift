import MeshPipeline
import NativeLibraries

/// Validated access to the parts of a glTF document.
struct GLTFReader {
  let path: String
  let json: JSONValue
  private let opener: SideFileOpener
  private let context: ReadingContext
  private var buffers: [GLTFBytes?] = []
  /// The views that were compressed, by their index.
  private var decodedViews: [Int: [UInt8]] = [:]
  /// The elements of accessors that Draco compressed, for one primitive.
  var dracoValues: [Int: [UInt8]] = [:]
  /// Files of buffers by their canonical path: a file may be named any number of times.
  private var files: [String: MappedFile] = [:]
  /// The size of the binary part, the files and the data URIs of buffers.
  private(set) var fileBytes: Int
  /// The size of the views that were compressed.
  private(set) var decodedBytes = 0

  init(_ container: GLTFContainer, in context: ReadingContext) throws {
    path = container.path
    json = container.json
    self.context = context
    opener = SideFileOpener(mainPath: path, context: context)
    fileBytes = container.binary?.count ?? 0
    try checkVersionAndExtensions()
    try openBuffers(container.binary)
    try decodeViews()
  }

  /// An error at a location such as `accessors[3]`.
  func fault(_ place: String, _ message: String) -> ReadingError {
    .content(path: path, "\(place): \(message)")
  }

  /// Whether meshpipe wrote the file.
  var isOwnFile: Bool { json["asset"]?["generator"]?.text == "meshpipe" }

  /// Warns of something in the file.
  func warn(_ message: String) {
    context.stage.warn("\(FileSystem.name(of: path)): \(message)")
  }

  private func checkVersionAndExtensions() throws {
    guard let version = json["asset"]?["version"]?.text else {
      throw fault("asset", "has no version; is this a glTF file?")
    }
    guard version.hasPrefix("2.") else {
      throw fault("asset", GLTFExtensions.wrongVersion(String(version.prefix(16))))
    }
    for name in json["extensionsRequired"]?.elements.compactMap(\.text) ?? [] {
      switch GLTFExtensions.role(of: name) {
      case .understood: break
      case .passedOver(let loss):
        warn("\(loss) (\(name.prefix(64)))")
      case .refused(let reason):
        throw fault("extensionsRequired", "\(reason) (\(name.prefix(64))); export it again without")
      }
    }
  }

  // MARK: Lookup

  /// The element of a list of the document.
  ///
  /// - Parameter owner: What refers to it, for the message; nil if that says nothing.
  func element(_ list: String, _ index: Int, of owner: String? = nil) throws -> JSONValue {
    let elements = json[list]?.elements ?? []
    guard elements.indices.contains(index) else {
      let (name, problem) = ("\(list)[\(index)]", "does not exist; there are \(elements.count)")
      throw owner.map { fault($0, "\(name) \(problem)") } ?? fault(name, problem)
    }
    return elements[index]
  }

  /// A non-negative whole number.
  func integer(_ value: JSONValue?, _ place: @autoclosure () -> String) throws -> Int? {
    guard let value else { return nil }
    guard let number = value.number, let integer = Int(exactly: number), integer >= 0 else {
      throw fault(place(), "expected a whole number")
    }
    return integer
  }

  // MARK: Buffers

  private mutating func openBuffers(_ binary: GLTFBytes?) throws {
    for (index, buffer) in (json["buffers"]?.elements ?? []).enumerated() {
      let place = "buffers[\(index)]"
      // What its views hold is compressed in another buffer, and may be missing here.
      if GLTFCompressedView.isFallback(buffer) {
        buffers.append(try? bytes(of: buffer, index, binary, place))
      } else {
        buffers.append(try bytes(of: buffer, index, binary, place))
      }
    }
  }

  /// The bytes of a buffer; nil for one without a URI that is not the binary part.
  private mutating func bytes(
    of buffer: JSONValue, _ index: Int, _ binary: GLTFBytes?, _ place: String
  ) throws -> GLTFBytes? {
    let length = try integer(buffer["byteLength"], place) ?? 0
    let bytes: GLTFBytes?
    if let uri = buffer["uri"]?.text {
      bytes = try self.bytes(atURI: uri, place)
    } else {
      bytes = index == 0 ? binary : nil
    }
    if let bytes, bytes.count < length {
      throw fault(place, "has \(bytes.count) bytes instead of \(length)")
    }
    return bytes
  }

  private mutating func bytes(atURI uri: String, _ place: String) throws -> GLTFBytes {
    if let data = DataURI.bytes(of: uri) {
      fileBytes += data.count
      return .memory(data)
    }
    guard !uri.hasPrefix("data:") else { throw fault(place, "the data URI is invalid") }
    let name = fileName(ofURI: uri)
    switch opener.open(name) {
    case .found(let file, let path):
      if let known = files[path] { return .file(known, 0..<known.count) }
      files[path] = file
      fileBytes += file.count
      return .file(file, 0..<file.count)
    case .missing: throw fault(place, "the buffer '\(name.prefix(200))' does not exist")
    case .outside:
      throw fault(
        place,
        "the buffer '\(name.prefix(200))' is outside the scan's folder and was not opened; --allow-external opens it"
      )
    case .unreadable(let error): throw error
    }
  }

  private mutating func decodeViews() throws {
    let room = GLTFCompressedView.largestRatio * fileBytes
    for (index, view) in (json["bufferViews"]?.elements ?? []).enumerated() {
      let place = "bufferViews[\(index)]"
      guard let compressed = try GLTFCompressedView(view, in: self, place) else { continue }
      let (bytes, range) = try part(of: compressed.source, place)
      do {
        let elements = try compressed.decoded(bytes, range, in: self, place)
        decodedBytes += elements.count
        decodedViews[index] = elements
      } catch is NativeLibraryError where (try? part(of: view, place)) != nil {
        // The view is there without compression, too.
        continue
      }
      // Many views of the same bytes could claim any size.
      guard decodedBytes <= room else {
        throw fault(place, "the views claim more than the file can hold")
      }
    }
  }

  /// The bytes of a buffer view and its stride if it has one.
  func view(_ index: Int) throws -> (bytes: GLTFBytes, range: Range<Int>, stride: Int?) {
    let place = "bufferViews[\(index)]"
    let view = try element("bufferViews", index)
    let stride = try integer(view["byteStride"], place)
    guard stride ?? 4 >= 1, stride ?? 4 <= 252 else { throw fault(place, "byteStride is invalid") }
    if let elements = decodedViews[index] { return (.memory(elements), 0..<elements.count, stride) }
    let (bytes, range) = try part(of: view, place)
    return (bytes, range, stride)
  }

  /// The part of a buffer that `buffer`, `byteOffset` and `byteLength` name.
  private func part(of view: JSONValue, _ place: String) throws -> (GLTFBytes, Range<Int>) {
    guard let buffer = try integer(view["buffer"], place),
      let length = try integer(view["byteLength"], place)
    else { throw fault(place, "has no buffer or no byteLength") }
    let offset = try integer(view["byteOffset"], place) ?? 0
    guard buffers.indices.contains(buffer) else {
      throw fault(place, "buffer \(buffer) does not exist")
    }
    guard let bytes = buffers[buffer] else { throw fault(place, "buffer \(buffer) has no bytes") }
    guard offset <= bytes.count, length <= bytes.count - offset else {
      throw fault(place, "reaches beyond the end of buffer \(buffer)")
    }
    return (bytes, offset..<offset + length)
  }

  /// Call it after reading everything from the buffers.
  func finish() {
    for file in files.values { opener.didFinish(file) }
  }

  // MARK: Morph targets

  /// Vertex values with weighted morph targets added.
  func morphed(
    _ values: [Vector3], by targets: JSONValue?, name: String, weights: [Float], at place: String
  ) throws -> [Vector3] {
    var result = values
    for (target, weight) in zip(targets?.elements ?? [], weights) where weight != 0 {
      guard let index = try integer(target[name], "\(place).targets") else { continue }
      let offsets = try self.values(index, shapes: ["VEC3"]) { Vector3($0.x, $0.y, $0.z) }
      guard offsets.count == values.count else {
        throw fault(
          "\(place).targets", "\(name) has \(offsets.count) values for \(values.count) vertices")
      }
      for vertex in result.indices { result[vertex].simd += weight * offsets[vertex].simd }
    }
    return result
  }

  // MARK: Images

  /// The name of the file that a URI means: with its escapes decoded, as RFC 3986 says.
  ///
  /// Some programs write names without escapes, such as `a%20b.png`: where only a file of that name exists, it is meant.
  private func fileName(ofURI uri: String) -> String {
    let name = DataURI.decodingPercents(uri)
    guard name != uri, !opener.exists(name, subfolder: ""), opener.exists(uri, subfolder: "")
    else { return name }
    return uri
  }

  /// Loads an image, or warns and returns nil.
  func image(_ index: Int, into textures: inout TextureCollection) throws -> Int? {
    let place = "images[\(index)]"
    let image = try element("images", index)
    let mimeType = image["mimeType"]?.text
    if let viewIndex = try integer(image["bufferView"], place) {
      let (bytes, range, _) = try view(viewIndex)
      let content = bytes.withBytes { [UInt8](copying: $0.extracting(range)) }
      return textures.add(content, fileName: fileName(image, index, mimeType))
    }
    guard let uri = image["uri"]?.text else { throw fault(place, "has neither uri nor bufferView") }
    if let data = DataURI.bytes(of: uri) {
      return textures.add(data, fileName: fileName(image, index, mimeType))
    }
    guard !uri.hasPrefix("data:") else { throw fault(place, "the data URI is invalid") }
    return textures.load(
      fileName(ofURI: uri), subfolder: "", opener: opener, source: FileSystem.name(of: path))
  }

  /// The name of an embedded image, for formats that store it as a file.
  private func fileName(_ image: JSONValue, _ index: Int, _ mimeType: String?) -> String {
    let name = image["name"]?.text ?? ""
    let base = FileSystem.name(of: name).filter { $0 != "\0" && $0 != "\\" }
    let stem = base.isEmpty || base == "." || base == ".." ? "image\(index)" : base
    if ["png", "jpg", "jpeg", "webp", "avif", "ktx2"].contains(fileExtension(of: stem)) {
      return stem
    }
    let encoding = Texture.Encoding.allCases.first {
      mimeType != nil && GLTFDocument.mimeType(of: $0) == mimeType
    }
    return "\(stem).\((encoding ?? .png).usualExtension)"
  }
}

/// glTF references that are not file names.
enum DataURI {
  /// The content of `data:…;base64,…`; nil if it is not such a URI or is invalid.
  static func bytes(of uri: String) -> [UInt8]? {
    guard uri.hasPrefix("data:"), let comma = uri.utf8.firstIndex(of: UInt8(ascii: ",")) else {
      return nil
    }
    let content = uri.utf8[uri.utf8.index(after: comma)...]
    guard uri[..<comma].hasSuffix(";base64") else {
      return decodingPercents(content)
    }
    return URLText.bytes(ofBase64: content)
  }

  /// A file name with `%20` and the like decoded.
  static func decodingPercents(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    return String(systemPath: decodingPercents(text.utf8[...]))
  }

  /// The bytes of a text with its escapes decoded.
  private static func decodingPercents(_ text: Substring.UTF8View) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(Substring(rest.prefix(2))), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}
