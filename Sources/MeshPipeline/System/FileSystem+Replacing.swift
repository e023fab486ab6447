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
    do {
      if let status = try status(of: path), !status.isRegularFile {
        return try write(text, to: path)
      }
      let temporary = "\(folder(of: path))/.\(name(of: path)).\(getpid())"
      do {
        try write(text, to: temporary)
        try rename(temporary, to: path)
      } catch {
        try? removeFile(temporary)
        throw error
      }
    } catch let error as FileError {
      throw FileError(error.action, path, code: error.code)
    }
  }

  private static func write(_ text: String, to path: String) throws {
    let file = try FileWriter(creating: path)
    try file.write(text)
    try file.finish()
  }

  /// The time now, in the terms of ``FileStatus/modified``.
  public static var now: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
