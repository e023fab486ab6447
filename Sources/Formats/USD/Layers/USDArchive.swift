import MeshPipeline

/// The files of a USDZ package: a ZIP archive without compression.
struct USDArchive {
  private struct Entry {
    var range: Range<Int>
    var isStored: Bool
  }

  /// The whole package.
  private let bytes: USDBytes
  private var entries: [String: Entry] = [:]
  /// In the order of the package.
  private(set) var names: [String] = []

  /// Whether bytes are a ZIP archive.
  static func isArchive(_ bytes: USDBytes) throws -> Bool {
    try bytes.count >= 2 && bytes.integer(at: 0, UInt16.self) == 0x4B50
  }

  init(_ bytes: USDBytes) throws {
    self.bytes = bytes
    let end = try Self.endOfContents(bytes)
    let count = Int(try bytes.integer(at: end + 10, UInt16.self))
    var index = Int(try bytes.integer(at: end + 16, UInt32.self))
    for _ in 0..<count {
      guard try bytes.integer(at: index, UInt32.self) == 0x0201_4B50 else {
        throw bytes.fault(index, "the package's table of contents is damaged")
      }
      func short(_ offset: Int) throws -> Int {
        Int(try bytes.integer(at: index + offset, UInt16.self))
      }
      let size = Int(try bytes.integer(at: index + 20, UInt32.self))
      let start = Int(try bytes.integer(at: index + 42, UInt32.self))
      let nameSize = try short(28)
      let name: [UInt8] = try bytes.integers(at: index + 46, nameSize)
      // The lengths of the name and the extra fields before the bytes may differ from those here.
      let header = try bytes.integers(at: start + 26, 2, UInt16.self).reduce(30) { $0 + Int($1) }
      let range = try bytes.range(start + header, size, of: 1)
      let isStored = try short(10) == 0 && short(8) & 1 == 0
      add(String(decoding: name, as: UTF8.self), Entry(range: range, isStored: isStored))
      index += 46 + nameSize + (try short(30)) + (try short(32))
    }
  }

  private mutating func add(_ name: String, _ entry: Entry) {
    guard !name.hasSuffix("/"), entries[name] == nil else { return }
    entries[name] = entry
    names.append(name)
  }

  /// The record after the table of contents, which a comment of up to 65,535 bytes may follow.
  private static func endOfContents(_ bytes: USDBytes) throws -> Int {
    let size = 22
    for index in stride(
      from: bytes.count - size, through: max(0, bytes.count - size - 65_535), by: -1)
    {
      if try bytes.integer(at: index, UInt32.self) == 0x0605_4B50 { return index }
    }
    throw bytes.fault(bytes.count, "the package has no table of contents; is it truncated?")
  }

  func contains(_ name: String) -> Bool { entries[name] != nil }

  /// A file of the package; nil if it is not there.
  func file(_ name: String) throws -> USDBytes? {
    guard let entry = entries[name] else { return nil }
    guard entry.isStored else {
      throw ReadingError.content(
        path: bytes.path,
        "'\(name.prefix(120))' is compressed or encrypted, which USDZ does not allow; pack it again with 'usdzip'"
      )
    }
    let start = bytes.range.lowerBound
    return USDBytes(
      bytes.file, start + entry.range.lowerBound..<start + entry.range.upperBound,
      named: "\(bytes.path)[\(name.prefix(120))]")
  }
}
