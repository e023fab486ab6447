import MeshpipeKit
import POSIX

/// A scan given by the user: a file, or standard input.
struct InputFile: Sendable {
  /// The name for messages: the argument as typed, or `standard input`.
  var name: String
  /// The path of the file.
  var path: String
  /// The id of its format, if the path does not determine it.
  var formatID: String?
  /// The archive that it was unpacked from.
  var archive: String?

  /// Finds the file for an argument; `-` is read to its end into a temporary file.
  ///
  /// - Parameters:
  ///   - formatID: The format given by the user.
  ///   - formats: The available formats.
  init(_ argument: String, formatID: String?, formats: FormatRegistry) throws {
    if argument == "-" {
      self = try StandardInput.spooled(formatID: formatID, formats)
      return
    }
    name = argument
    path = argument
    self.formatID = formatID
    if let folder = try UnpackedArchives.folder(ofArchive: argument) {
      archive = argument
      path = try UnpackedArchives.scan(inFolder: folder, ofArchive: argument, formats)
      return
    }
    // A folder is a capture, whose mesh the resolver finds, or holds the mesh.
    if FileSystem.isFolder(argument) {
      path = try ScanFolder.onlyMesh(in: argument, formats) ?? argument
      return
    }
    if formatID == nil, builtInCaptures.isIndex(argument) {
      path = FileSystem.folder(of: argument)
      return
    }
    // A USDZ starts like any other zip.
    if formatID == nil, formats.reader(forPath: argument) == nil,
      formats.explanation(forForeign: argument) == nil
    {
      self.formatID = try Self.detectedFormatID(ofFile: argument, formats)
    }
  }

  /// Throws if there is no such file.
  ///
  /// Not found out before all scans are known: of several, the others may run.
  func requireExistence() throws {
    if try FileSystem.status(of: path) == nil { throw MissingInputFile(path: path) }
  }

  /// Whether it came from a pipe.
  var isStandardInput: Bool { archive == nil && name == Self.standardInput }

  fileprivate static let standardInput = "standard input"

  init(name: String, path: String, formatID: String?) {
    self.name = name
    self.path = path
    self.formatID = formatID
  }

  /// Detects the format of a file from its contents.
  private static func detectedFormatID(
    ofFile path: String, _ formats: FormatRegistry
  ) throws -> String? {
    guard let status = try FileSystem.status(of: path) else { throw MissingInputFile(path: path) }
    guard status.isRegularFile else { return nil }
    // The reader reports files that can't be read.
    return formats.reader(ofFile: path)?.id
  }
}

/// Scans from a pipe, copied to a private file, since readers need random access.
enum StandardInput {
  static func spooled(formatID: String?, _ formats: FormatRegistry) throws -> InputFile {
    let folder = try TemporaryPlace.create()
    let raw = folder + "/stdin"
    let head = try copy(to: raw)
    let size = try FileSystem.status(of: raw)?.size ?? 0
    guard size > 0 else { throw EmptyInput() }
    guard let id = formatID ?? formats.reader(forHead: FileHead(head, fileSize: size))?.id else {
      throw UnknownInputFormat(explanation: formats.explanation(ofContentsOf: raw))
    }
    // Assimp and messages rely on the extension.
    let reader = formats.reader(id: id)
    let path = raw + "." + (reader?.extensions.first ?? id)
    try FileSystem.rename(raw, to: path)
    PrivateInputs.show(path, as: "standard input")
    return InputFile(name: InputFile.standardInput, path: path, formatID: id)
  }

  /// Copies standard input to a file, and returns its first bytes.
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

/// Standard input was empty.
struct EmptyInput: UserError {
  var exitCode: ExitCode { .data }
  var message: String { "standard input is empty" }
}

/// The format of standard input can't be determined.
struct UnknownInputFormat: UserError {
  /// What it plainly is instead of a scan; nil if that is unknown.
  var explanation: String?

  var exitCode: ExitCode { .unavailable }
  var message: String {
    "standard input: "
      + (explanation ?? "can't determine the format from its first bytes; use --input-format")
  }
}

/// A scan that does not exist, with the file that may be meant.
struct MissingInputFile: UserError {
  var path: String

  var exitCode: ExitCode { error.exitCode }
  var message: String {
    let names = (try? FileSystem.names(inFolder: FileSystem.folder(of: path))) ?? []
    let near = nearestName(to: FileSystem.name(of: path), in: names).map {
      FileSystem.path(of: $0, beside: path)
    }
    return error.message + (near.map { "; did you mean '\($0)'?" } ?? "")
  }

  private var error: FileError { FileError(.read, path, code: FileError.noSuchFile) }
}
