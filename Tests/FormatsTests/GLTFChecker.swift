import Foundation

/// A reader of glTF that believes nothing: what the specification demands of a file is checked.
///
/// Independent of meshpipe's own reader and writer; covers what a scan can hold.
struct GLTFChecker {
  /// What is wrong, in words; empty when all is well.
  private(set) var faults: [String] = []
  private(set) var document: [String: Any] = [:]
  private var buffer = Data()
  private let folder: URL

  init(path: String) throws {
    let url = URL(filePath: path)
    folder = url.deletingLastPathComponent()
    let file = try Data(contentsOf: url)
    var json = file
    if url.pathExtension == "glb" { json = splitChunks(of: file) }
    document = try JSONSerialization.jsonObject(with: json) as? [String: Any] ?? [:]
    if url.pathExtension == "gltf" { try loadBuffer() }
    checkAsset()
    checkViews()
    checkAccessors()
    checkMeshes()
    checkNodes()
    checkMaterials()
  }

  func list(_ key: String) -> [[String: Any]] { document[key] as? [[String: Any]] ?? [] }

  private mutating func expect(_ condition: Bool, _ fault: @autoclosure () -> String) {
    if !condition { faults.append(fault()) }
  }

  // MARK: Container

  private mutating func splitChunks(of file: Data) -> Data {
    func word(_ offset: Int) -> Int {
      file.dropFirst(offset).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    expect(file.prefix(4) == Data("glTF".utf8), "magic")
    expect(word(4) == 2, "version \(word(4))")
    expect(word(8) == file.count, "length \(word(8)) of \(file.count)")
    let jsonLength = word(12)
    expect(jsonLength % 4 == 0, "JSON chunk is not a multiple of four")
    expect(file.dropFirst(16).prefix(4) == Data("JSON".utf8), "first chunk is not JSON")
    let binary = 20 + jsonLength
    expect(word(binary) % 4 == 0, "BIN chunk is not a multiple of four")
    expect(file.dropFirst(binary + 4).prefix(4) == Data("BIN\0".utf8), "second chunk is not BIN")
    expect(binary + 8 + word(binary) == file.count, "chunks don't fill the file")
    buffer = Data(file.dropFirst(binary + 8))
    return Data(file.dropFirst(20).prefix(jsonLength))
  }

  private mutating func loadBuffer() throws {
    let uri = list("buffers").first?["uri"] as? String ?? ""
    expect(!uri.contains(" "), "URI with a space")
    buffer = try Data(contentsOf: folder.appending(path: uri.removingPercentEncoding ?? ""))
  }

  private mutating func checkAsset() {
    expect((document["asset"] as? [String: Any])?["version"] as? String == "2.0", "asset")
    expect(list("buffers").count == 1, "one buffer")
    let length = list("buffers").first?["byteLength"] as? Int ?? 0
    expect(length > 0 && length <= buffer.count && buffer.count - length < 4, "buffer length")
    for (key, value) in document where (value as? [Any])?.isEmpty == true {
      faults.append("empty array '\(key)'")
    }
  }

  private mutating func checkViews() {
    var end = 0
    for (index, view) in list("bufferViews").enumerated() {
      let offset = view["byteOffset"] as? Int ?? 0
      let length = view["byteLength"] as? Int ?? 0
      expect(offset >= end, "view \(index) overlaps the one before")
      expect(length > 0, "view \(index) is empty")
      end = offset + length
      expect(end <= buffer.count, "view \(index) ends behind the buffer")
      if let stride = view["byteStride"] as? Int {
        expect((4...252).contains(stride) && stride % 4 == 0, "view \(index) has stride \(stride)")
        expect(view["target"] as? Int == 34962, "view \(index) has a stride but no vertices")
      }
    }
  }

  // MARK: Accessors

  private static let componentSize = [5120: 1, 5121: 1, 5123: 2, 5125: 4, 5126: 4]
  private static let componentCount = ["SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4]

  /// The numbers of an accessor, element after element.
  func values(ofAccessor index: Int) -> [[Double]] {
    let accessor = list("accessors")[index]
    let view = list("bufferViews")[accessor["bufferView"] as? Int ?? 0]
    let type = accessor["componentType"] as? Int ?? 0
    let size = Self.componentSize[type] ?? 1
    let width = Self.componentCount[accessor["type"] as? String ?? ""] ?? 1
    let stride = view["byteStride"] as? Int ?? size * width
    let start = (view["byteOffset"] as? Int ?? 0) + (accessor["byteOffset"] as? Int ?? 0)
    return (0..<(accessor["count"] as? Int ?? 0)).map { element in
      (0..<width).map { component in
        let offset = start + element * stride + component * size
        let bits = buffer.dropFirst(offset).prefix(size).reversed().reduce(UInt32(0)) {
          $0 << 8 | UInt32($1)
        }
        if type == 5126 { return Double(Float(bitPattern: bits)) }
        return type == 5120 ? Double(Int8(truncatingIfNeeded: bits)) : Double(bits)
      }
    }
  }

  /// Unit vectors, as floats or normalised bytes, and how far their lengths may be from 1.
  private func directions(ofAccessor index: Int) -> ([[Double]], tolerance: Double) {
    let values = values(ofAccessor: index)
    let accessor = list("accessors")[index]
    guard accessor["componentType"] as? Int == 5120 else { return (values, 1e-3) }
    guard accessor["normalized"] as? Bool == true else { return ([[0, 0, 0, 0]], 0) }
    return (values.map { $0.map { $0 / 127 } }, 0.01)
  }

  private mutating func checkAccessors() {
    for (index, accessor) in list("accessors").enumerated() {
      guard let size = Self.componentSize[accessor["componentType"] as? Int ?? 0],
        let width = Self.componentCount[accessor["type"] as? String ?? ""],
        let viewIndex = accessor["bufferView"] as? Int, viewIndex < list("bufferViews").count
      else {
        faults.append("accessor \(index) has no known type or no view")
        continue
      }
      let view = list("bufferViews")[viewIndex]
      let offset = accessor["byteOffset"] as? Int ?? 0
      let count = accessor["count"] as? Int ?? 0
      let stride = view["byteStride"] as? Int ?? size * width
      expect(count > 0, "accessor \(index) is empty")
      expect(offset % size == 0, "accessor \(index) is not aligned")
      expect(((view["byteOffset"] as? Int ?? 0) + offset) % size == 0, "accessor \(index) aligned")
      let end = offset + stride * (count - 1) + size * width
      expect(end <= view["byteLength"] as? Int ?? 0, "accessor \(index) ends behind its view")
      let values = values(ofAccessor: index)
      expect(values.allSatisfy { $0.allSatisfy(\.isFinite) }, "accessor \(index) is not finite")
      guard let low = accessor["min"] as? [Double], let high = accessor["max"] as? [Double] else {
        continue
      }
      for component in 0..<width {
        let column = values.map { $0[component] }
        expect(column.min() == low[component], "accessor \(index): wrong min")
        expect(column.max() == high[component], "accessor \(index): wrong max")
      }
    }
  }

  // MARK: Meshes

  private mutating func checkMeshes() {
    for (index, mesh) in list("meshes").enumerated() {
      let primitives = mesh["primitives"] as? [[String: Any]] ?? []
      expect(!primitives.isEmpty, "mesh \(index) is empty")
      for primitive in primitives { checkPrimitive(primitive, "mesh \(index)") }
    }
  }

  private mutating func checkPrimitive(_ primitive: [String: Any], _ name: String) {
    let attributes = primitive["attributes"] as? [String: Int] ?? [:]
    let accessors = list("accessors")
    guard let position = attributes["POSITION"], position < accessors.count else {
      faults.append("\(name) has no POSITION")
      return
    }
    expect(accessors[position]["min"] != nil, "\(name): POSITION without bounds")
    let count = accessors[position]["count"] as? Int ?? 0
    for (key, accessor) in attributes {
      expect(accessors[accessor]["count"] as? Int == count, "\(name): \(key) has another count")
      let view = list("bufferViews")[accessors[accessor]["bufferView"] as? Int ?? 0]
      expect(view["target"] as? Int == 34962, "\(name): \(key) is not in a view of vertices")
    }
    if let normal = attributes["NORMAL"] {
      let (normals, tolerance) = directions(ofAccessor: normal)
      let lengths = normals.map { $0.map { $0 * $0 }.reduce(0, +).squareRoot() }
      expect(lengths.allSatisfy { abs($0 - 1) < tolerance }, "\(name): a normal is not of length 1")
    }
    let (tangents, tolerance) = attributes["TANGENT"].map { directions(ofAccessor: $0) } ?? ([], 0)
    for tangent in tangents {
      let length = tangent.prefix(3).map { $0 * $0 }.reduce(0, +).squareRoot()
      expect(abs(length - 1) < tolerance, "\(name): a tangent is not of length 1")
      expect(abs(tangent[3]) == 1, "\(name): a tangent has no side")
      expect(attributes["NORMAL"] != nil, "\(name): tangents without normals")
    }
    expect(
      attributes["TEXCOORD_1"] == nil || attributes["TEXCOORD_0"] != nil,
      "\(name): the first set of texture coordinates is missing")
    if let color = attributes["COLOR_0"] {
      let isFloat = accessors[color]["componentType"] as? Int == 5126
      expect(isFloat || accessors[color]["normalized"] as? Bool == true, "\(name): COLOR_0")
    }
    if let material = primitive["material"] as? Int {
      expect(material < list("materials").count, "\(name): no such material")
    }
    let mode = primitive["mode"] as? Int ?? 4
    guard let indices = primitive["indices"] as? Int else {
      expect(mode == 0, "\(name): no indices")
      return
    }
    let view = list("bufferViews")[accessors[indices]["bufferView"] as? Int ?? 0]
    expect(view["target"] as? Int == 34963, "\(name): indices are not in a view of indices")
    let numbers = values(ofAccessor: indices).map { Int($0[0]) }
    expect(mode == 4 && numbers.count % 3 == 0, "\(name): not triangles")
    expect(numbers.allSatisfy { $0 < count }, "\(name): index out of range")
    expect(Set(numbers).count == count, "\(name): unused vertices")
    let isShort = accessors[indices]["componentType"] as? Int == 5123
    expect(!isShort || numbers.allSatisfy { $0 < 65535 }, "\(name): restart index")
  }

  // MARK: Nodes and materials

  private mutating func checkNodes() {
    var parents = [Int](repeating: 0, count: list("nodes").count)
    for node in list("nodes") {
      for child in node["children"] as? [Int] ?? [] { parents[child] += 1 }
      let extensions = node["extensions"] as? [String: [String: Any]]
      for level in extensions?["MSFT_lod"]?["ids"] as? [Int] ?? [] { parents[level] += 1 }
      if let mesh = node["mesh"] as? Int {
        expect(mesh < list("meshes").count, "a node has no such mesh")
      }
      expect((node["matrix"] as? [Any])?.count ?? 16 == 16, "matrix")
    }
    for scene in list("scenes") {
      for root in scene["nodes"] as? [Int] ?? [] { parents[root] += 1 }
    }
    expect(parents.allSatisfy { $0 == 1 }, "a node has several parents or none")
  }

  private mutating func checkMaterials() {
    let used = Set(
      list("meshes").flatMap { ($0["primitives"] as? [[String: Any]] ?? []) }
        .compactMap { $0["material"] as? Int })
    expect(used.count == list("materials").count, "unused materials")
    for texture in list("textures") {
      expect((texture["source"] as? Int ?? 0) < list("images").count, "no such image")
    }
    for image in list("images") {
      let isEmbedded = image["bufferView"] != nil
      expect(isEmbedded != (image["uri"] != nil), "an image is in two places or none")
      expect(image["mimeType"] as? String == "image/png", "mimeType")
      guard let data = try? data(ofImage: image) else {
        faults.append("missing image")
        continue
      }
      expect(data.prefix(4) == Data([0x89, 0x50, 0x4E, 0x47]), "the image is no PNG")
    }
  }

  func data(ofImage image: [String: Any]) throws -> Data {
    if let uri = image["uri"] as? String {
      return try Data(contentsOf: folder.appending(path: uri.removingPercentEncoding ?? ""))
    }
    let view = list("bufferViews")[image["bufferView"] as? Int ?? 0]
    return buffer.dropFirst(view["byteOffset"] as? Int ?? 0)
      .prefix(view["byteLength"] as? Int ?? 0)
  }
}
