import Batch
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

struct BatchLockTests {
  private let temporary: TemporaryFolder
  private let folder: BatchFolder

  init() throws {
    temporary = try TemporaryFolder()
    folder = BatchFolder(root: temporary.path)
  }

  @Test func `two batches exclude each other, and the message says who has the lock`() throws {
    let lock = try BatchLock(folder)
    let error = #expect(throws: BatchLocked.self) { try BatchLock(folder) }
    let message = try #require(error?.message)
    #expect(message.contains("process \(ProcessInfo.processInfo.processIdentifier) on "))
    #expect(message.contains(" since 20"))
    #expect(error?.exitCode == .temporary)
    #expect(BatchLock.isHeld(folder))
    withExtendedLifetime(lock) {}
  }

  @Test func `the lock ends with its owner`() throws {
    do {
      let lock = try BatchLock(folder)
      #expect(lock.isEffective)
    }
    #expect(!BatchLock.isHeld(folder))
    _ = try BatchLock(folder)
  }

  @Test func `the lock ends with its owner although a child has inherited the file`() throws {
    var inherited: Int32 = -1
    defer { close(inherited) }
    do {
      let lock = try BatchLock(folder)
      var (wanted, status) = (stat(), stat())
      try #require(stat("\(temporary.path)/.meshpipe-batch/lock", &wanted) == 0)
      let descriptor = (0..<getdtablesize()).first {
        fstat($0, &status) == 0 && status.st_ino == wanted.st_ino && status.st_dev == wanted.st_dev
      }
      inherited = dup(try #require(descriptor))
      withExtendedLifetime(lock) {}
    }
    #expect(!BatchLock.isHeld(folder))
  }

  @Test func `a killed process holds nothing`() throws {
    _ = try BatchLock(folder)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", "-c",
      """
      import fcntl, sys, time
      file = open(sys.argv[1], "r+")
      fcntl.flock(file, fcntl.LOCK_EX)
      print("locked", flush=True)
      time.sleep(60)
      """, "\(temporary.path)/.meshpipe-batch/lock",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    #expect(output.fileHandleForReading.availableData.count > 0)
    #expect(throws: BatchLocked.self) { try BatchLock(folder) }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    _ = try BatchLock(folder)
  }

  @Test func `shards work side by side, each once, and not beside an undivided batch`() throws {
    let first = try BatchLock(folder, shard: Shard(1, of: 3))
    let second = try BatchLock(folder, shard: Shard(2, of: 3))
    let error = #expect(throws: BatchLocked.self) { try BatchLock(folder, shard: Shard(2, of: 3)) }
    #expect(error?.message.contains("shard 2/3 of a batch is running there") == true)
    let other = #expect(throws: BatchLocked.self) { try BatchLock(folder) }
    #expect(other?.message.contains("shard 1/3 of a batch") == true)
    #expect(BatchLock.isHeld(folder, shard: Shard(1, of: 3)))
    #expect(!BatchLock.isHeld(folder, shard: Shard(3, of: 3)))
    #expect(!BatchLock.isHeld(folder))
    withExtendedLifetime((first, second)) {}
  }

  @Test func `a shard waits for an undivided batch`() throws {
    let whole = try BatchLock(folder)
    #expect(throws: BatchLocked.self) { try BatchLock(folder, shard: Shard(1, of: 2)) }
    withExtendedLifetime(whole) {}
  }

  @Test func `shards of another division are refused`() throws {
    let third = try BatchLock(folder, shard: Shard(1, of: 3))
    let error = #expect(throws: BatchLocked.self) { try BatchLock(folder, shard: Shard(2, of: 4)) }
    #expect(error?.message.contains("shard 1/3") == true)
    withExtendedLifetime(third) {}
    _ = consume third
  }
}
