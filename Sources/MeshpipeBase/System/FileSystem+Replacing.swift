import POSIX

extension FileSystem {
  /// Throws if nothing more can be written to a file that another program has written, or failed to
  /// write.
  ///
  /// Some bytes are appended as a test: the file is about to be discarded.
  package static func requireRoom(at path: String) throws(FileError) {
    guard try status(of: folder(of: path)) != nil else {
      throw FileError(.create, path, code: FileError.noSuchFile)
    }
    let descriptor = unsafe open(path.systemPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw FileError(.create, path) }
    defer { close(descriptor) }
    let bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    // A nearly full volume accepts only a part.
    if count < 0 { throw FileError(.write, path) }
    if count < bytes.count { throw FileError(.write, path, code: ENOSPC) }
  }

  /// Writes a small text file that appears complete or not at all.
  ///
  /// Special files, such as devices or pipes, are written to directly.
  package static func replaceFile(_ path: String, with text: String) throws {
    try replaceFile(path, with: Array(text.utf8))
  }

  /// Writes a small file that appears complete or not at all.
  ///
  /// - Parameter synchronizing: Whether to wait until it is on disk; unnecessary for a file that
  ///   may be lost in a power cut.
  package static func replaceFile(
    _ path: String, with bytes: [UInt8], synchronizing: Bool = true
  ) throws {
    func write(to path: String) throws {
      let file = try FileWriter(creating: path)
      try file.write(bytes)
      try file.finish(synchronizing: synchronizing)
    }
    do {
      if let status = try status(of: path), !status.isRegularFile { return try write(to: path) }
      let temporary = "\(folder(of: path))/.\(name(of: path)).\(getpid())"
      do {
        try write(to: temporary)
        try rename(temporary, to: path)
      } catch {
        try? removeFile(temporary)
        throw error
      }
    } catch let error as FileError {
      throw FileError(error.action, path, code: error.code)
    }
  }

  /// The current time, comparable to ``FileStatus/modified``.
  package static var now: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Creates a hard link, on the same volume.
  ///
  /// - Returns: Whether it succeeded; some volumes don't support it.
  package static func link(_ path: String, as name: String) -> Bool {
    unsafe POSIX.link(path.systemPath, name.systemPath) == 0
  }

  /// Removes a folder if it is empty.
  package static func removeEmptyFolder(_ path: String) { _ = unsafe rmdir(path.systemPath) }
}
