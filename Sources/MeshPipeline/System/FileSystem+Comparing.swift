extension FileSystem {
  /// Whether two files hold the same bytes.
  public static func haveSameContents(_ first: String, _ second: String) throws(FileError) -> Bool {
    guard let a = try status(of: first), let b = try status(of: second), a.size == b.size else {
      return false
    }
    let left = try BlockReader(first)
    let right = try BlockReader(second)
    while true {
      let block = try left.next()
      if block != (try right.next()) { return false }
      if block.isEmpty { return true }
    }
  }

  /// Copies the bytes of a file to an open descriptor.
  public static func copy(_ path: String, to descriptor: Int32, named name: String) throws {
    let reader = try BlockReader(path)
    let writer = FileWriter(descriptor: descriptor, name: name)
    while true {
      let block = try reader.next()
      if block.isEmpty { break }
      try writer.write(Array(block))
    }
    try writer.finish()
  }
}
