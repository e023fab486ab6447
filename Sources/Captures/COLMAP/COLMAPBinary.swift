import MeshPipeline

/// COLMAP's binary files: little-endian, without padding.
enum COLMAPBinary {
  static func cameras(_ bytes: [UInt8], path: String) throws(CaptureError) -> [Int: COLMAPCamera] {
    var reader = BinaryReader(bytes: bytes, path: path)
    var cameras: [Int: COLMAPCamera] = [:]
    for _ in 0..<(try reader.count(ofElementsOf: 24)) {
      let id = Int(try reader.unsigned(4))
      let model = Int(try reader.unsigned(4))
      let (width, height) = (try reader.count(upTo: 1 << 20), try reader.count(upTo: 1 << 20))
      guard COLMAPCamera.models.indices.contains(model) else {
        throw CaptureError(path, "camera \(id) has a model of the unknown number \(model)")
      }
      let kind = COLMAPCamera.models[model]
      var parameters: [Double] = []
      for _ in 0..<kind.count { parameters.append(try reader.double()) }
      cameras[id] = COLMAPCamera(
        model: kind.name, size: SIMD2(width, height), parameters: parameters)
    }
    return cameras
  }

  static func images(_ bytes: [UInt8], path: String) throws(CaptureError) -> [COLMAPImage] {
    var reader = BinaryReader(bytes: bytes, path: path)
    var images: [COLMAPImage] = []
    for _ in 0..<(try reader.count(ofElementsOf: 73)) {
      let id = Int(try reader.unsigned(4))
      var numbers: [Double] = []
      for _ in 0..<7 { numbers.append(try reader.double()) }
      let camera = Int(try reader.unsigned(4))
      let name = try reader.zeroTerminatedText()
      let points = try reader.count(ofElementsOf: 24)
      try reader.skip(24 * points)
      images.append(COLMAPImage(id: id, name: name, camera: camera, numbers: numbers))
    }
    return images
  }
}

/// Reads consecutive little-endian numbers; missing bytes are an error.
struct BinaryReader {
  let bytes: [UInt8]
  let path: String
  private var offset = 0

  init(bytes: [UInt8], path: String) {
    self.bytes = bytes
    self.path = path
  }

  /// An unsigned number of 1 to 8 bytes.
  mutating func unsigned(_ count: Int) throws(CaptureError) -> UInt64 {
    let start = offset
    try skip(count)
    return (0..<count).reduce(0) { $0 | UInt64(bytes[start + $1]) << (8 * UInt64($1)) }
  }

  mutating func double() throws(CaptureError) -> Double {
    Double(bitPattern: try unsigned(8))
  }

  /// A count of 8 bytes.
  mutating func count(upTo limit: Int) throws(CaptureError) -> Int {
    let start = offset
    guard let count = Int(exactly: try unsigned(8)), count <= limit else {
      throw CaptureError(path, "byte \(start): a count is impossibly large")
    }
    return count
  }

  /// A count of elements of at least `size` bytes, which must fit into the rest of the file.
  mutating func count(ofElementsOf size: Int) throws(CaptureError) -> Int {
    let start = offset
    guard let count = Int(exactly: try unsigned(8)), count <= (bytes.count - offset) / size else {
      throw CaptureError(path, "byte \(start): the file is truncated, or a count in it is wrong")
    }
    return count
  }

  mutating func zeroTerminatedText() throws(CaptureError) -> String {
    guard let end = bytes[offset...].firstIndex(of: 0) else {
      throw CaptureError(path, "byte \(offset): the file is truncated in a name")
    }
    defer { offset = end + 1 }
    return String(systemPath: bytes[offset..<end])
  }

  mutating func skip(_ count: Int) throws(CaptureError) {
    guard count <= bytes.count - offset else {
      throw CaptureError(path, "byte \(offset): the file is truncated")
    }
    offset += count
  }
}
