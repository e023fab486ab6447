import MeshPipeline

/// Paths in a file, one per line or zero-terminated.
enum InputList {
  /// Reads a list.
  ///
  /// - Parameter path: `-` is standard input.
  static func paths(in path: String) throws -> [String] {
    let bytes = try FileSystem.contents(of: path == "-" ? "/dev/stdin" : path, limit: 1 << 30)
    let isZeroed = bytes.contains(0)
    return bytes.split(separator: isZeroed ? 0 : UInt8(ascii: "\n")).compactMap { line in
      let end = !isZeroed && line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      return end.isEmpty ? nil : String(systemPath: end)
    }
  }
}
