import Foundation
import MeshPipeline

/// Files as one input of the fuzzer, each after a line `=== NAME ===`.
///
/// So a scan and the files beside it are damaged together, and a capture may turn into one of another app.
struct FileBundle {
  var files: [(name: String, bytes: [UInt8])]

  init(_ files: [(name: String, bytes: [UInt8])]) { self.files = files }

  /// - Parameter main: The name of what stands before the first such line; it is left out without one.
  init(_ input: [UInt8], main: String? = nil) {
    var lines: [[UInt8].SubSequence] = []
    var name = main
    files = []
    for line in input.split(separator: 0x0A, omittingEmptySubsequences: false) {
      guard let next = Self.name(in: line) else {
        lines.append(line)
        continue
      }
      if let name { files.append((name, Array(lines.joined(separator: [0x0A])))) }
      (name, lines) = (next, [])
    }
    if let name { files.append((name, Array(lines.joined(separator: [0x0A])))) }
  }

  private static func name(in line: [UInt8].SubSequence) -> String? {
    guard line.count < 80, line.starts(with: mark), line.suffix(4).elementsEqual(" ===".utf8) else {
      return nil
    }
    let name = String(decoding: line.dropFirst(4).dropLast(4), as: UTF8.self)
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return name.unicodeScalars.allSatisfy(plain.contains)
      && !parts.contains { $0.isEmpty || $0 == "." || $0 == ".." } ? name : nil
  }

  private static let mark = Array("=== ".utf8)
  private static let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: " ._-/"))

  /// The input that gives these files.
  var input: [UInt8] {
    Array(
      files.map { Array("=== \($0.name) ===\n".utf8) + $0.bytes }.joined(separator: [0x0A]))
  }

  /// Calls a body with a folder in which the files are.
  func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let folder = try FileSystem.createPrivateFolder(
      prefix: NSTemporaryDirectory() + "/meshpipe-fuzz-")
    defer { try? FileSystem.removeFolder(folder) }
    for file in files.prefix(16) {
      let path = folder + "/" + file.name
      // What is no file because a folder has its name is missing.
      try? FileSystem.createFolder(FileSystem.folder(of: path))
      try? Data(file.bytes).write(to: URL(filePath: path))
    }
    return try body(folder)
  }
}
