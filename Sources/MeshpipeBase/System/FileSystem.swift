import POSIX

/// The operating system's calls for files and folders, with readable errors.
package enum FileSystem {
  /// The status of a file, following symbolic links.
  ///
  /// - Returns: Nil if there is nothing at `path`.
  package static func status(of path: String) throws(FileError) -> FileStatus? {
    var result = stat()
    guard unsafe stat(path.systemPath, &result) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw FileError(.examine, path)
    }
    return FileStatus(result)
  }

  /// When the file at `path` was last written to, moved or made, in nanoseconds since 1970; nil if there is none.
  ///
  /// Unlike the time of modification, programs can't set it: a file that takes the place of another one has a late time,
  /// however old its contents are.
  package static func changeTime(of path: String) -> Int64? {
    var status = stat()
    guard unsafe stat(path.systemPath, &status) == 0 else { return nil }
    #if canImport(Glibc)
      let time = status.st_ctim
    #else
      let time = status.st_ctimespec
    #endif
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Whether there is a symbolic link at `path` itself.
  package static func isSymbolicLink(_ path: String) -> Bool {
    var result = stat()
    return unsafe lstat(path.systemPath, &result) == 0 && result.st_mode & S_IFMT == S_IFLNK
  }

  /// The target of the symbolic link at `path`, as stored; nil if there is none.
  package static func target(ofLink path: String) -> String? {
    let size = Int(PATH_MAX)
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size) { buffer in
      let count = unsafe buffer.withMemoryRebound(to: CChar.self) { bytes in
        unsafe bytes.baseAddress.map { unsafe readlink(path.systemPath, $0, size) } ?? -1
      }
      guard count > 0 else { return nil }
      return unsafe String(systemPath: buffer.prefix(count))
    }
  }

  /// Whether the user may write the file or the folder at `path`.
  package static func isWritable(_ path: String) -> Bool {
    unsafe access(path.systemPath, W_OK) == 0
  }

  /// Whether the user may read the file at `path`.
  package static func isReadable(_ path: String) -> Bool {
    unsafe access(path.systemPath, R_OK) == 0
  }

  /// Whether there is a folder at `path` that can be reached.
  package static func isFolder(_ path: String) -> Bool {
    (try? status(of: path))?.isFolder == true
  }

  /// Whether there is a program at `path` that the user may execute.
  package static func isExecutable(_ path: String) -> Bool {
    unsafe access(path.systemPath, X_OK) == 0 && (try? status(of: path))?.isRegularFile == true
  }

  /// The path of a program: a name without a folder is looked up in `PATH`, ignoring relative
  /// folders.
  ///
  /// - Returns: Nil if there is none.
  package static func program(named name: String) -> String? {
    if name.contains("/") { return isExecutable(name) ? name : nil }
    return (environment("PATH") ?? "/usr/bin:/bin").split(separator: ":")
      .filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first(where: isExecutable)
  }

  /// The program of this process, in a form that can be started again.
  package static var ownExecutable: String? {
    #if os(Linux)
      // A link that works even after the file was replaced.
      if isExecutable("/proc/self/exe") { return "/proc/self/exe" }
      return ProgramArguments.all.first.flatMap { program(named: $0) }
    #else
      var size: UInt32 = 0
      unsafe _NSGetExecutablePath(nil, &size)
      let path = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(size)) {
        buffer in
        unsafe _NSGetExecutablePath(buffer.baseAddress, &size) == 0
          ? buffer.baseAddress.map { unsafe String(cString: $0) } : nil
      }
      return path ?? nil
    #endif
  }

  /// The value of an environment variable.
  package static func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(systemPath: $0) }
  }

  /// The folder for temporary files.
  package static var temporaryFolder: String {
    environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
  }

  /// The absolute path without symbolic links, `.` and `..`; nil if there is no such file.
  package static func canonicalPath(of path: String) -> String? {
    guard let resolved = unsafe realpath(path.systemPath, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(systemPath: resolved)
  }

  /// The absolute path without `.` and `..`, whether or not there is such a file; symbolic links are not followed.
  package static func absolutePath(of path: String) -> String {
    let path = path.hasPrefix("/") ? path : workingFolder + "/" + path
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return "/" + parts.joined(separator: "/")
  }

  /// The current folder.
  package static var workingFolder: String { canonicalPath(of: ".") ?? "." }

  /// Creates a folder and its missing parents; no error if it exists.
  package static func createFolder(_ path: String) throws(FileError) {
    if unsafe mkdir(path.systemPath, 0o777) == 0 { return }
    let code = errno
    if code == EEXIST, try status(of: path)?.isFolder == true { return }
    let parent = folder(of: path)
    guard code == ENOENT, parent != path else { throw FileError(.create, path, code: code) }
    try createFolder(parent)
    if unsafe mkdir(path.systemPath, 0o777) != 0, errno != EEXIST { throw FileError(.create, path) }
  }

  /// Creates a folder that only this user can access, with a unique name.
  ///
  /// - Parameter prefix: The prefix of its path.
  /// - Returns: Its path.
  package static func createPrivateFolder(prefix: String) throws(FileError) -> String {
    var template = (prefix + "XXXXXX").systemPath
    let created = unsafe template.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.baseAddress.flatMap { unsafe mkdtemp($0) }.map { unsafe String(systemPath: $0) }
    }
    guard let created else { throw FileError(.create, folder(of: prefix)) }
    return created
  }

  /// Atomically replaces a file or folder by another on the same volume.
  package static func rename(_ source: String, to target: String) throws(FileError) {
    let result = unsafe POSIX.rename(source.systemPath, target.systemPath)
    if result != 0 { throw FileError(.replace, target) }
  }

  /// Removes a file; no error if it does not exist.
  package static func removeFile(_ path: String) throws(FileError) {
    if unsafe unlink(path.systemPath) != 0, errno != ENOENT { throw FileError(.remove, path) }
  }

  /// Removes a folder with its contents; no error if it does not exist.
  ///
  /// Symbolic links are removed, never followed.
  package static func removeFolder(_ path: String) throws(FileError) {
    for name in try names(inFolder: path) {
      let entry = path + "/" + name
      var information = stat()
      guard unsafe lstat(entry.systemPath, &information) == 0 else { continue }
      if FileStatus(information).isFolder {
        try removeFolder(entry)
      } else {
        try removeFile(entry)
      }
    }
    if unsafe rmdir(path.systemPath) != 0, errno != ENOENT { throw FileError(.remove, path) }
  }

  /// The names in a folder, sorted, without `.` and `..`; empty if it does not exist.
  package static func names(inFolder path: String) throws(FileError) -> [String] {
    guard let folder = unsafe opendir(path.systemPath) else {
      if errno == ENOENT { return [] }
      throw FileError(.read, path)
    }
    defer { unsafe closedir(folder) }
    return try names(inFolder: path) {
      guard let entry = unsafe readdir(folder) else { return nil }
      return unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(systemPath: bytes.prefix { $0 != 0 })
      }
    }
  }

  /// The names in a folder, up to the first one that is nil, after which `errno` tells its end from a failure.
  package static func names(
    inFolder path: String, next: () -> String?
  ) throws(FileError) -> [String] {
    var names: [String] = []
    errno = 0
    while let name = next() {
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    if errno != 0 { throw FileError(.read, path) }
    return names.sorted()
  }

  /// Waits until the bytes of a file, or the names in a folder, are on disk.
  package static func synchronize(_ path: String) throws(FileError) {
    let descriptor = unsafe open(path.systemPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(.write, path) }
    defer { close(descriptor) }
    // Some network and FUSE volumes don't support it, which can't be helped.
    if fsync(descriptor) != 0, errno != EINVAL, errno != ENOTSUP { throw FileError(.write, path) }
  }

  /// Sets the modification time to now, as `touch` does.
  package static func touch(_ path: String) throws(FileError) {
    if unsafe utimensat(AT_FDCWD, path.systemPath, nil, 0) != 0 { throw FileError(.write, path) }
  }

  /// Sets the permissions of a file, such as 0o644.
  package static func setPermissions(_ mode: UInt32, of path: String) throws(FileError) {
    if unsafe chmod(path.systemPath, mode_t(mode)) != 0 { throw FileError(.write, path) }
  }

  /// Reads a whole file into memory; for small files, especially texts.
  ///
  /// - Parameter limit: Larger files are an error (`EFBIG`).
  package static func contents(of path: String, limit: Int = .max) throws(FileError) -> [UInt8] {
    var result: [UInt8] = []
    var fits = true
    try forEachBlock(of: path) { block in
      fits = block.count <= limit - result.count
      if fits { result += block }
      return fits
    }
    if !fits { throw FileError(.read, path, code: EFBIG) }
    return result
  }

  /// The first bytes of a file; all of a shorter one.
  package static func head(of path: String, count: Int) throws(FileError) -> [UInt8] {
    var result: [UInt8] = []
    try forEachBlock(of: path) { block in
      result += block.prefix(count - result.count)
      return result.count < count
    }
    return result
  }

  /// Reads a file block by block, as long as `body` returns true.
  package static func forEachBlock(
    of path: String, _ body: (ArraySlice<UInt8>) -> Bool
  ) throws(FileError) {
    let reader = try BlockReader(path)
    while true {
      let block = try reader.next()
      if block.isEmpty || !body(block) { return }
    }
  }

  /// The folder part of a path: `a/b` for `a/b/c.obj`, `.` for `c.obj`.
  package static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The last part of a path: `c.obj` for `a/b/c.obj`.
  package static func name(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return path }
    return String(path[path.index(after: slash)...])
  }

  /// The last part of a path without its extension: `c` for `a/b/c.obj`, `.c` for `a/.c`.
  package static func stem(of path: String) -> String {
    let name = name(of: path)
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// The name of a scan that has only the name of its file.
  package static func title(of path: String) -> String { stem(of: path).withoutForeignBytes }

  /// Whether a path is below a folder; both must be canonical.
  package static func isPath(_ path: String, below folder: String) -> Bool {
    path.hasPrefix(folder == "/" ? "/" : folder + "/")
  }

  /// The path of a file in another file's folder.
  package static func path(of name: String, beside path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return name }
    return path[...slash] + name
  }
}

/// The operating system's metadata of a file.
package struct FileStatus: Sendable, Equatable {
  /// The device and inode that identify a file, whatever its path.
  package struct Identity: Sendable, Hashable {
    package var device: UInt64
    var number: UInt64
  }

  package var isFolder: Bool
  /// Neither a folder nor a device, a socket or a pipe.
  package var isRegularFile: Bool
  /// Length in bytes.
  package var size: Int
  package var identity: Identity
  /// The permission bits, such as 0o644.
  package var permissions: UInt32
  /// Modification time, in nanoseconds since 1970.
  package var modified: Int64

  init(_ status: stat) {
    let kind = status.st_mode & S_IFMT
    isFolder = kind == S_IFDIR
    isRegularFile = kind == S_IFREG
    size = Int(status.st_size)
    identity = Identity(
      device: UInt64(truncatingIfNeeded: status.st_dev),
      number: UInt64(truncatingIfNeeded: status.st_ino))
    permissions = UInt32(status.st_mode) & 0o7777
    #if canImport(Glibc)
      let time = status.st_mtim
    #else
      let time = status.st_mtimespec
    #endif
    modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Whether the file with this status was written to since, and is still at its path.
  ///
  /// A file that was replaced as a whole, or removed, counts as unchanged.
  package func isOutdated(at path: String) throws(FileError) -> Bool {
    guard let now = try FileSystem.status(of: path), now.identity == identity else { return false }
    return now.size != size || now.modified != modified
  }
}
