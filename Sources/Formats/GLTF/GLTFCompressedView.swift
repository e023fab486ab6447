import MeshPipeline
import NativeLibraries

/// A buffer view compressed by `EXT_meshopt_compression`, or `KHR_meshopt_compression`, which adds a codec and a filter.
struct GLTFCompressedView {
  static let name = "EXT_meshopt_compression"
  static let secondName = "KHR_meshopt_compression"
  /// The most bytes that a byte of a file can become.
  static let largestRatio = MeshoptDecoder.largestRatio

  /// What names the compressed bytes: `buffer`, `byteOffset`, `byteLength`.
  let source: JSONValue
  private let mode: MeshoptDecoder.Mode
  private let filter: MeshoptDecoder.Filter
  private let count: Int
  private let stride: Int

  /// The declaration of a view; nil if it is not compressed.
  init?(_ view: JSONValue, in reader: GLTFReader, _ place: String) throws {
    guard let source = Self.declaration(of: view) else { return nil }
    self.source = source
    func text(_ key: String, or usual: String) -> String { source[key]?.text ?? usual }
    guard let mode = MeshoptDecoder.Mode(rawValue: text("mode", or: "")) else {
      throw reader.fault(place, "compression mode '\(text("mode", or: "").prefix(32))' is unknown")
    }
    guard let filter = MeshoptDecoder.Filter(rawValue: text("filter", or: "NONE")) else {
      throw reader.fault(
        place, "compression filter '\(text("filter", or: "").prefix(32))' is unknown")
    }
    guard let count = try reader.integer(source["count"], place),
      let stride = try reader.integer(source["byteStride"], place)
    else { throw reader.fault(place, "its compression has no count or no byteStride") }
    (self.mode, self.filter, self.count, self.stride) = (mode, filter, count, stride)
  }

  private static func declaration(of object: JSONValue) -> JSONValue? {
    object["extensions"]?[name] ?? object["extensions"]?[secondName]
  }

  /// Whether a buffer only holds the same views without compression.
  static func isFallback(_ buffer: JSONValue) -> Bool {
    declaration(of: buffer)?["fallback"]?.isTrue == true
  }

  /// The elements of the view.
  func decoded(
    _ bytes: GLTFBytes, _ range: Range<Int>, in reader: GLTFReader, _ place: String
  ) throws -> [UInt8] {
    let result = bytes.withBytes { bytes in
      Result { () throws(MeshoptDecoder.Failure) in
        try MeshoptDecoder.decode(
          bytes.extracting(range), mode, filter, count: count, stride: stride)
      }
    }
    switch result {
    case .success(let elements): return elements
    case .failure(.damaged(let reason)): throw reader.fault(place, reason)
    case .failure(.missing(var error)):
      error.reason += " (needed for \(reader.path))"
      throw error
    }
  }
}
