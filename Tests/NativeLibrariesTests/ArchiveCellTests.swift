import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import NativeLibraries

/// Archives read by libarchive in a cell.
@Suite(.neverHangs)
struct ArchiveCellTests {
  private let files: [(name: String, bytes: [UInt8])] = [
    ("a/\u{E9}t\u{E9}.txt", Array("summer".utf8)),
    ("large.bin", (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }),
    ("empty", []), ("z.txt", Array("last".utf8)),
  ]

  private func written(_ ending: String, in folder: TemporaryFolder) throws -> String {
    let path = folder.path + "/a" + ending
    let writer = try ArchiveWriter(creating: path)
    for file in files { try writer.add(file.name, file.bytes) }
    try writer.finish()
    return path
  }

  /// Reads those entries that are wanted, and skips or leaves the others.
  private func contents(
    _ path: String, skips: Bool, _ isWanted: (String) -> Bool
  ) throws -> [String: [UInt8]] {
    let reader = try ArchiveReader(path)
    var found: [String: [UInt8]] = [:]
    while let entry = try reader.next() {
      guard isWanted(entry.name) else {
        found[entry.name] = [0]
        if skips { try reader.skip() }
        continue
      }
      var bytes: [UInt8] = []
      try reader.forEachBlock { bytes += $0 }
      found[entry.name] = bytes
    }
    return found
  }

  @Test(arguments: [".zip", ".7z", ".tar", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst"])
  func `entries come out as they went in, whichever are read`(ending: String) throws {
    OwnProgram.chosenPath = Program.meshpipe
    let folder = try TemporaryFolder()
    let path = try written(ending, in: folder)
    for skips in [false, true] {
      for wanted in 0..<16 {
        let names = Set(files.indices.filter { wanted & 1 << $0 != 0 }.map { files[$0].name })
        let found = try contents(path, skips: skips, names.contains)
        for file in files {
          let expected = names.contains(file.name) ? file.bytes : [0]
          #expect(found[file.name] == expected, "\(file.name)")
        }
      }
    }
  }

  @Test func `names in a zip are marked as Unicode`() throws {
    let folder = try TemporaryFolder()
    let bytes = try FileSystem.contents(of: written(".zip", in: folder))
    // The flags of the first entry, whose bit 11 is the mark.
    #expect(bytes[7] & 8 != 0)
    #expect(Array(bytes[30..<39]) == Array("a/\u{E9}t\u{E9}.t".utf8))
  }

  @Test func `reading may stop within an entry and go on with the next`() throws {
    OwnProgram.chosenPath = Program.meshpipe
    let folder = try TemporaryFolder()
    struct Enough: Error {}
    for ending in [".zip", ".tar.gz"] {
      let reader = try ArchiveReader(written(ending, in: folder))
      _ = try reader.next()
      _ = try reader.next()
      #expect(throws: Enough.self) { try reader.forEachBlock { _ in throw Enough() } }
      #expect(try reader.next()?.name == "empty")
      #expect(try reader.next()?.name == "z.txt")
      var bytes: [UInt8] = []
      try reader.forEachBlock { bytes += $0 }
      #expect(bytes == Array("last".utf8))
      #expect(try reader.next() == nil)
    }
  }

  @Test func `many archives are read at a time, each in a cell of its own`() throws {
    OwnProgram.chosenPath = Program.meshpipe
    let folder = try TemporaryFolder()
    let path = try written(".tar.gz", in: folder)
    let found = Parallel.map(count: 12) { _ in
      (try? contents(path, skips: false) { _ in true })?.count
    }
    #expect(found == [Int?](repeating: 4, count: 12))
  }

  @Test func `an archive that is cut off is damaged, however long`() throws {
    OwnProgram.chosenPath = Program.meshpipe
    let folder = try TemporaryFolder()
    for ending in [".zip", ".7z", ".tar.gz", ".tar.xz"] {
      let bytes = try FileSystem.contents(of: written(ending, in: folder))
      for share in [0.1, 0.5, 0.9] {
        let cut = try folder.write(
          "cut" + ending, Array(bytes.prefix(Int(Double(bytes.count) * share))))
        let error = #expect(throws: ArchiveError.self, "\(ending) \(share)") {
          _ = try contents(cut, skips: false) { _ in true }
        }
        #expect(error?.exitCode == .data)
      }
    }
  }

  // MARK: Waiting

  private func failure(
    _ way: DecoderServer.Misbehaviour, seconds: Double, for run: (any Cancellable)? = nil
  ) throws -> (CellFailure?, seconds: Double) {
    let cell = try DecoderCell(.archive, executable: Program.meshpipe)
    let limits = DecoderCell.Limits(
      seconds: seconds, memory: 1 << 29, answer: 1 << 20, run: run)
    let started = MonotonicClock.seconds
    let error = #expect(throws: CellFailure.self) {
      try cell.answer(to: CellMessage(.misbehave, text: way.rawValue), limits)
    }
    return (error, MonotonicClock.seconds - started)
  }

  @Test func `a cell ends when its run is cancelled`() throws {
    let run = Cancellation()
    Thread.detachNewThread {
      usleep(300_000)
      run.request()
    }
    let (error, seconds) = try failure(.hang, seconds: 300, for: run)
    #expect(error == .cancelled && error?.exitCode == .interrupted)
    #expect(seconds < 20)
  }

  @Test func `a cell that never stops talking is ended at its deadline`() throws {
    let (error, seconds) = try failure(.talkOn, seconds: 0.5)
    #expect(error == .deadline(seconds: 0.5))
    #expect(seconds < 20)
  }

  @Test func `reading ends when its run is cancelled`() throws {
    OwnProgram.chosenPath = Program.meshpipe
    let folder = try TemporaryFolder()
    let run = Cancellation()
    let reader = try ArchiveReader(written(".tar.gz", in: folder), for: run)
    _ = try reader.next()
    run.request()
    #expect(throws: Cancelled.self) { while try reader.next() != nil {} }
  }
}
