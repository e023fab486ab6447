internal import CAssimp
import MeshpipeBase
import NativeLibraries
import POSIX

/// Opens files for Assimp, and refuses everything except regular files inside one folder.
///
/// A model refers to further files: material libraries, buffers, textures. Assimp would follow
/// `../` and absolute paths anywhere; here every path is resolved first, including links.
final class AssimpFileGate {
  /// The folder of the main file as given.
  let mainFolder: String
  /// The folder that may be read: the same, with links resolved.
  private let folder: String
  /// The main file as given: it may be a link to another folder.
  private let mainPath: String
  /// The files opened besides the main file, in order, each once.
  private(set) var openedSideFiles: [String] = []

  private let allowsAllFolders: Bool

  /// - Parameters:
  ///   - path: The main file; only its folder may be read.
  ///   - allowsAllFolders: Whether to allow regular files of other folders too.
  init(mainPath path: String, allowsAllFolders: Bool) {
    self.allowsAllFolders = allowsAllFolders
    mainFolder = FileSystem.folder(of: path)
    mainPath = path
    folder = FileSystem.canonicalPath(of: mainFolder) ?? mainFolder
  }

  /// The path to open, if it is allowed.
  func admit(_ path: String) -> String? {
    guard let resolved = FileSystem.canonicalPath(of: path),
      (try? FileSystem.status(of: resolved))?.isRegularFile == true
    else { return nil }
    if path == mainPath { return resolved }
    guard allowsAllFolders || FileSystem.isPath(resolved, below: folder) else { return nil }
    if resolved != FileSystem.canonicalPath(of: mainPath), !openedSideFiles.contains(resolved) {
      openedSideFiles.append(resolved)
    }
    return resolved
  }

  /// Calls `body` with the callbacks for an import.
  func withFileIO<Result>(_ body: (UnsafeMutablePointer<aiFileIO>) -> Result) -> Result {
    var callbacks = unsafe aiFileIO(
      OpenProc: { io, path, mode in
        guard let io = unsafe io, let path = unsafe path, let mode = unsafe mode else { return nil }
        return unsafe AssimpFileGate.open(io, path: path, mode: mode)
      },
      CloseProc: { _, file in
        guard let file = unsafe file else { return }
        unsafe fclose(AssimpFileGate.stream(of: file))
        unsafe file.deallocate()
      },
      UserData: Unmanaged.passUnretained(self).toOpaque().assumingMemoryBound(to: CChar.self))
    return unsafe body(&callbacks)
  }

  private static func open(
    _ io: UnsafeMutablePointer<aiFileIO>, path: UnsafePointer<CChar>, mode: UnsafePointer<CChar>
  ) -> UnsafeMutablePointer<aiFile>? {
    guard let user = unsafe io.pointee.UserData else { return nil }
    let gate = unsafe Unmanaged<AssimpFileGate>.fromOpaque(user).takeUnretainedValue()
    let mode = unsafe String(cString: mode)
    guard mode.hasPrefix("r"), !mode.contains("+") else { return nil }
    guard let stream = unsafe gate.stream(at: String(systemPath: path)) else { return nil }
    let file = UnsafeMutablePointer<aiFile>.allocate(capacity: 1)
    unsafe file.initialize(to: callbacks(for: stream))
    return unsafe file
  }

  private func stream(at path: String) -> UnsafeMutablePointer<FILE>? {
    let known = openedSideFiles.count
    guard let admitted = admit(path) else { return nil }
    if openedSideFiles.count > known {
      let size = ((try? FileSystem.status(of: admitted)) ?? nil)?.size ?? 0
      Sandbox.allowMemory(WorkerLimits.usualCost * min(size, WorkerLimits.sideFileMemory))
    }
    let format = fileExtension(of: admitted)
    guard Self.textFormats.contains(format), format == "x3d" || Self.isUTF16(admitted),
      let bytes = try? FileSystem.contents(of: admitted)
    else { return unsafe fopen(admitted.systemPath, "rb") }
    let text = XMLText.utf8(bytes)
    let readable = format == "x3d" ? X3DSource.readable(text) : text
    // Room for the zero with which the stream terminates its memory.
    guard let stream = unsafe fmemopen(nil, readable.count + 1, "w+") else { return nil }
    unsafe fwrite(readable, 1, readable.count, stream)
    unsafe rewind(stream)
    return unsafe stream
  }

  /// The formats of XML.
  private static let textFormats: Set<String> = [
    "dae", "x3d", "irr", "irrmesh", "xml", "amf", "xgl",
  ]

  private static func isUTF16(_ path: String) -> Bool {
    guard let head = try? FileSystem.head(of: path, count: 4) else { return false }
    return XMLText.isBigEndianUTF16(head[...]) != nil
  }

  private static func callbacks(for stream: UnsafeMutablePointer<FILE>) -> aiFile {
    unsafe aiFile(
      ReadProc: { file, buffer, size, count in
        guard let file = unsafe file else { return 0 }
        return unsafe fread(buffer, size, count, AssimpFileGate.stream(of: file))
      },
      WriteProc: { _, _, _, _ in 0 },
      TellProc: { file in
        guard let file = unsafe file else { return 0 }
        return unsafe Int(ftell(AssimpFileGate.stream(of: file)))
      },
      FileSizeProc: { file in
        guard let file = unsafe file else { return 0 }
        let stream = unsafe AssimpFileGate.stream(of: file)
        let place = unsafe ftell(stream)
        unsafe fseek(stream, 0, SEEK_END)
        defer { unsafe fseek(stream, place, SEEK_SET) }
        return unsafe max(0, ftell(stream))
      },
      SeekProc: { file, offset, origin in
        guard let file = unsafe file else { return aiReturn_FAILURE }
        let whence = Int32(bitPattern: UInt32(origin.rawValue))
        return unsafe fseek(AssimpFileGate.stream(of: file), Int(bitPattern: UInt(offset)), whence)
          == 0 ? aiReturn_SUCCESS : aiReturn_FAILURE
      },
      FlushProc: { _ in },
      UserData: UnsafeMutableRawPointer(stream).assumingMemoryBound(to: CChar.self))
  }

  private static func stream(of file: UnsafeMutablePointer<aiFile>) -> UnsafeMutablePointer<FILE> {
    unsafe UnsafeMutableRawPointer(file.pointee.UserData).assumingMemoryBound(to: FILE.self)
  }
}
