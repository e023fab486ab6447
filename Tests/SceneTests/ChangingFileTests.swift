import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// Files that another program writes to while they are mapped.
struct ChangingFileTests {
  private static let page = Int(getpagesize())

  private func file(_ folder: TemporaryFolder, pages: Int) throws -> MappedFile {
    let path = try folder.write("file", [UInt8](repeating: 7, count: pages * Self.page))
    return try MappedFile(path: path)
  }

  @Test func `what was cut off reads as zeros, on every thread, and the file is told`() throws {
    let folder = try TemporaryFolder()
    let file = try file(folder, pages: 64)
    #expect(!file.hasChanged)
    try file.requireUnchanged()
    #expect(truncate(file.path, off_t(10 * Self.page)) == 0)
    let sums = Parallel.array(count: 64) { range, output in
      for page in range {
        output.append(file.withBytes { Int($0[page * Self.page]) })
      }
    }
    #expect(sums == (0..<64).map { $0 < 10 ? 7 : 0 })
    #expect(file.hasChanged)
    let error = #expect(throws: FileError.self) { try file.requireUnchanged() }
    #expect(error?.message == "\(file.path): changed while it was read")
    #expect(error?.exitCode == .temporary)
  }

  @Test func `one that was cut within its last page, or grew, or was overwritten is told`() throws {
    for change in [
      { path in truncate(path, off_t(4 * Self.page - 1)) },
      { path in truncate(path, off_t(4 * Self.page + 1)) },
      { path in
        var times = [timeval(tv_sec: 1, tv_usec: 0), timeval(tv_sec: 2, tv_usec: 0)]
        return utimes(path, &times)
      },
    ] as [(String) -> Int32] {
      let folder = try TemporaryFolder()
      let file = try file(folder, pages: 4)
      #expect(change(file.path) == 0)
      #expect(file.hasChanged)
    }
  }

  @Test func `one that was removed or replaced as a whole is what it was`() throws {
    let folder = try TemporaryFolder()
    let file = try file(folder, pages: 4)
    let other = try folder.write("other", "short")
    try FileSystem.rename(other, to: file.path)
    #expect(!file.hasChanged)
    try FileSystem.removeFile(file.path)
    #expect(!file.hasChanged)
    #expect(file.withBytes { $0[3 * Self.page] } == 7)
  }

  @Test func `a mapping is as good as new where a damaged one was`() throws {
    for _ in 0..<20 {
      let folder = try TemporaryFolder()
      let damaged = try file(folder, pages: 4)
      #expect(truncate(damaged.path, 0) == 0)
      #expect(damaged.withBytes { $0[0] } == 0)
      let otherFolder = try TemporaryFolder()
      let whole = try file(otherFolder, pages: 4)
      #expect(!whole.hasChanged)
      #expect(whole.withBytes { $0[0] } == 7)
    }
  }

  @Test func `reading ends in the cause, not in what zeros look like`() throws {
    struct Nonsense: Error {}
    let folder = try TemporaryFolder()
    let path = try folder.write("file", [UInt8](repeating: 7, count: Self.page))
    let context = ReadingContext()
    let error = #expect(throws: FileError.self) {
      try context.reading(path) { _ in
        #expect(truncate(path, 0) == 0)
        throw Nonsense()
      }
    }
    #expect(error?.code == FileError.changed)
    #expect(throws: Nonsense.self) { try context.reading(path) { _ in throw Nonsense() } }
  }

  @Test func `a side file that changed is named`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("file", "main")
    let side = try MappedFile(path: folder.write("side", [UInt8](repeating: 7, count: 100)))
    let context = ReadingContext()
    let error = #expect(throws: FileError.self) {
      try context.reading(path) { _ in
        #expect(truncate(side.path, 0) == 0)
        context.didFinish(side)
      }
    }
    #expect(error?.path == side.path)
  }
}
