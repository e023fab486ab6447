import POSIX

extension FileSystem {
  /// Whether two files have the same contents.
  package static func haveSameContents(
    _ first: String, _ second: String
  ) throws(FileError) -> Bool {
    guard let a = try status(of: first), let b = try status(of: second), a.size == b.size else {
      return false
    }
    let left = try BlockReader(first)
    let right = try BlockReader(second)
    while true {
      let block = try left.next()
      guard isSame(block, try right.next()) else { return false }
      if block.isEmpty { return true }
    }
  }

  /// Comparing byte by byte with `==` would take longer than writing the files.
  private static func isSame(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
    unsafe one.withUnsafeBytes { one in
      unsafe other.withUnsafeBytes { other in
        guard one.count == other.count, let first = one.baseAddress, let second = other.baseAddress
        else { return one.count == other.count }
        return unsafe memcmp(first, second, one.count) == 0
      }
    }
  }

  /// Copies the bytes of a file to an open descriptor.
  package static func copy(_ path: String, to descriptor: Int32, named name: String) throws {
    let writer = FileWriter(descriptor: descriptor, name: name)
    try writer.write(contentsOf: path)
    try writer.finish()
  }
}

extension FileSystem {
  /// The names of all files in a folder and those below it, relative to it, in order.
  ///
  /// - Returns: Nothing if it is not a folder.
  package static func deepNames(inFolder folder: String) throws(FileError) -> [String] {
    guard try status(of: folder)?.isFolder == true else { return [] }
    var result: [String] = []
    for name in try names(inFolder: folder) {
      let path = "\(folder)/\(name)"
      if !isSymbolicLink(path), try status(of: path)?.isFolder == true {
        result += try deepNames(inFolder: path).map { "\(name)/\($0)" }
      } else {
        result.append(name)
      }
    }
    return result.sorted()
  }
}
