#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension FileSystem {
  /// Writes a small text file so that it appears complete or not at all.
  ///
  /// What is no regular file, such as a device or a pipe, is written to directly.
  public static func replaceFile(_ path: String, with text: String) throws {
    try replaceFile(path, with: Array(text.utf8))
  }

  /// Writes a small file so that it appears complete or not at all.
  ///
  /// - Parameter synchronizing: Whether to wait until it is on the disk; a file that is not missed after a
  ///   power cut does without.
  public static func replaceFile(
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

  /// The time now, in the terms of ``FileStatus/modified``.
  public static var now: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Gives a file a second name, on the same volume.
  ///
  /// - Returns: Whether it worked; not every volume can.
  public static func link(_ path: String, as name: String) -> Bool {
    #if canImport(Glibc)
      unsafe Glibc.link(path, name) == 0
    #else
      unsafe Darwin.link(path, name) == 0
    #endif
  }

  /// Removes a folder when there is nothing in it.
  static func removeEmptyFolder(_ path: String) { _ = unsafe rmdir(path) }
}
