import MeshpipeBase

/// The first bytes of a file, by which formats recognize files without a telling name.
public struct FileHead: Sendable {
  /// The number of bytes needed.
  public static let length = 4096

  /// The first bytes of the file, up to ``length``.
  public let bytes: [UInt8]
  /// The length of the whole file.
  public let fileSize: Int
  /// The bytes as text; nil if they are binary.
  public let text: String?

  /// Keeps the first ``length`` bytes.
  ///
  /// - Parameter fileSize: The length of the whole file in bytes.
  public init(_ bytes: some Sequence<UInt8>, fileSize: Int) {
    self.bytes = Array(bytes.prefix(Self.length))
    self.fileSize = fileSize
    text = self.bytes.contains(0) ? nil : String(decoding: self.bytes, as: UTF8.self)
  }

  /// Reads the first bytes of a regular file; nil if there is none, or if it can't be read.
  package init?(ofFile path: String) {
    guard let status = try? FileSystem.status(of: path), status.isRegularFile,
      let bytes = try? FileSystem.head(of: path, count: Self.length)
    else { return nil }
    self.init(bytes, fileSize: status.size)
  }

  /// Whether these are the first bytes.
  public func begins(with magic: String) -> Bool { bytes.starts(with: magic.utf8) }

  /// The text from its first visible character on; empty if there is none.
  public var body: Substring { (text ?? "").drop { $0.isWhitespace || $0 == "\u{FEFF}" } }
}
