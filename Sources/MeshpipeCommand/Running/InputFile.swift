import MeshPipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A scan that the user named: a file, or what comes through standard input.
struct InputFile: Sendable {
  /// What messages call it: the argument as typed, or `standard input`.
  var name: String
  /// Where it lies.
  var path: String
  /// The id of its format, where that is not told by the path.
  var formatID: String?
  /// The archive that it was unpacked from.
  var archive: String?

  /// Finds the file behind an argument; `-` is read to its end into a file of its own.
  ///
  /// - Parameters:
  ///   - formatID: The format as the user said it.
  ///   - formats: Those that there are.
  init(_ argument: String, formatID: String?, formats: FormatRegistry) throws {
    if argument == "-" {
      self = try StandardInput.spooled(formatID: formatID, formats)
      return
    }
    name = argument
    path = argument
    self.formatID = formatID
    if let folder = try Unpacked.folder(ofArchive: argument) {
      archive = argument
      path = try Unpacked.scan(inFolder: folder, ofArchive: argument, formats)
      return
    }
    // A folder is a capture, whose mesh the resolver finds.
    if (try? FileSystem.status(of: argument))?.isFolder == true { return }
    // A USDZ begins like any other zip.
    if formatID == nil, formats.reader(forPath: argument) == nil,
      formats.explanation(forForeign: argument) == nil
    {
      self.formatID = try Self.detectedFormatID(ofFile: argument, formats)
    }
  }

  init(name: String, path: String, formatID: String?) {
    self.name = name
    self.path = path
    self.formatID = formatID
  }

  /// A message about the file with the name that the user knows.
  func readable(_ message: String) -> String {
    if archive != nil { return Unpacked.readable(message) }
    return name == path ? message : message.replacing(path, with: name)
  }

  /// Looks into a file whose name doesn't tell its format.
  private static func detectedFormatID(
    ofFile path: String, _ formats: FormatRegistry
  ) throws -> String? {
    guard let status = try FileSystem.status(of: path) else {
      throw FileError(.read, path, code: ENOENT)
    }
    guard status.isRegularFile else { return nil }
    var head: [UInt8] = []
    // A file that can't be read is told of by its reader.
    try? FileSystem.forEachBlock(of: path) { block in
      head += block
      return head.count < FileHead.length
    }
    return formats.reader(forHead: FileHead(head, fileSize: status.size))?.id
  }
}

/// Scans from a pipe: kept in a private file, since readers look at a file from all sides.
enum StandardInput {
  static func spooled(formatID: String?, _ formats: FormatRegistry) throws -> InputFile {
    let folder = try TemporaryPlace.create()
    let raw = folder + "/stdin"
    let head = try copy(to: raw)
    let size = try FileSystem.status(of: raw)?.size ?? 0
    guard size > 0 else { throw EmptyInput() }
    guard let id = formatID ?? formats.reader(forHead: FileHead(head, fileSize: size))?.id else {
      throw UnknownInputFormat()
    }
    // Assimp and messages go by the extension.
    let reader = formats.reader(id: id)
    let path = raw + "." + (reader?.extensions.first ?? id)
    try FileSystem.rename(raw, to: path)
    return InputFile(name: "standard input", path: path, formatID: id)
  }

  /// Copies all that comes through standard input into a file, and returns how it begins.
  private static func copy(to path: String) throws -> [UInt8] {
    let file = try FileWriter(creating: path)
    var head: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = unsafe block.withUnsafeMutableBytes { buffer in
        unsafe read(STDIN_FILENO, buffer.baseAddress, buffer.count)
      }
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw FileError(.read, "standard input")
      }
      try file.write(Array(block[..<count]))
      if head.count < FileHead.length { head += block[..<count] }
    }
    try file.finish(synchronizing: false)
    return head
  }
}

/// Nothing came through standard input.
struct EmptyInput: UserError {
  var exitCode: ExitCode { .data }
  var message: String { "standard input: there is nothing to read" }
}

/// The format of what came through standard input is not plain to see.
struct UnknownInputFormat: UserError {
  var exitCode: ExitCode { .unavailable }
  var message: String {
    "standard input: can't tell the format by its first bytes; say it with --input-format"
  }
}
