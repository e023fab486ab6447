import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

#if os(Linux)
  /// A batch that is at work, with a scan that takes long among short ones.
  private final class RunningBatch {
    let site: BatchSite
    private let process = Process()

    init(_ site: BatchSite, _ options: [String] = [], jobs: Int = 2) throws {
      self.site = site
      process.executableURL = CommandProcess.executable
      process.arguments =
        ["batch", "web.json", "scans", "-o", "out/{folder}/{stem}.glb", "-j\(jobs)"] + options
      process.environment = CommandProcess.environment
      process.currentDirectoryURL = site.folder.url
      process.standardOutput = FileHandle.nullDevice
      process.standardError = try site.folder.fileHandle(forWriting: "errors")
      try process.run()
    }

    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// The workers that run now.
    var workers: [pid_t] { Self.children(of: process.processIdentifier) }

    private static func children(of parent: pid_t) -> [pid_t] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return names.compactMap { pid_t($0) }.filter { process in
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
          let end = text.lastIndex(of: ")")
        else { return false }
        let fields = text[end...].split(separator: " ")
        return fields.count > 2 && pid_t(fields[2]) == parent && fields[1] != "Z"
      }
    }

    /// Waits until something is so.
    func wait(until condition: () throws -> Bool) throws {
      for _ in 0..<12_000 {
        if try condition() { return }
        Thread.sleep(forTimeInterval: 0.01)
      }
      Issue.record("the batch did not get so far")
    }

    /// Waits until nothing but the long scan is left.
    func waitForLongScan() throws {
      try wait { ((try? site.entries())?.count ?? 0) >= 4 && !workers.isEmpty }
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    func waitForEnd() -> Int32 {
      process.waitUntilExit()
      return process.terminationStatus
    }

    var errors: String { (try? site.folder.text(of: "errors")) ?? "" }
  }

  extension BatchSite {
    /// A scan that takes some seconds.
    fileprivate func addLongScan(times: Int = 1) throws {
      let cells = _isDebugAssertConfiguration() ? 80 : 600
      try folder.writeScan("scans/z.obj", cells: cells * times)
      try folder.writePipeline(
        "web.json",
        stages: [#"{ "use": "weld" }"#, #"{ "use": "decimate", "with": { "faces": "30%" } }"#])
    }
  }

  @Suite(.serialized) struct BatchSurvivalTests {
    @Test func `a worker that is killed costs a second try`() throws {
      let site = try BatchSite()
      try site.addLongScan()
      let batch = try RunningBatch(site, jobs: 1)
      try batch.waitForLongScan()
      for worker in batch.workers { kill(worker, SIGKILL) }
      #expect(batch.waitForEnd() == 0, "\(batch.errors)")
      let long = try site.entries().last
      #expect(long?["item"] as? String == "scans/z.obj")
      #expect(long?["attempt"] as? Int == 2)
      #expect(site.isClean)
    }

    @Test(.notSanitized) func `a worker that crashes costs its item only`() throws {
      let site = try BatchSite()
      try site.addLongScan()
      let batch = try RunningBatch(site, jobs: 1)
      try batch.waitForLongScan()
      for worker in batch.workers { kill(worker, SIGSEGV) }
      #expect(batch.waitForEnd() == 3)
      // Where it was is the last that the worker said.
      let cause =
        "error: scans/z.obj: its worker crashed; its last output: "
        + "meshpipe: error: crashed (SIGSEGV) "
      #expect(batch.errors.contains(cause), "\(batch.errors)")
      #expect(batch.errors.contains("z.obj; please report this line"), "\(batch.errors)")
      #expect(try site.contents(of: "out").count == 4)
      #expect(site.isClean)
    }

    @Test func `an item that takes too long is given up`() throws {
      let site = try BatchSite()
      try site.addLongScan(times: 2)
      // The others first: on a busy machine even they may take a second.
      #expect(try site.batch("--exclude", "z.obj").status == 0)
      let outcome = try site.batch("--resume", "--timeout", "1s", "--retries", "0")
      #expect(outcome.status == 3)
      #expect(outcome.errors.contains("error: scans/z.obj: was stopped after 1 s"))
      #expect(outcome.errors.contains("0 done, 1 failed, 4 up to date"))
      #expect(site.isClean)
      let again = try site.batch("--retry-failed")
      #expect(again.status == 0, "\(again.errors)")
      #expect(again.errors.contains("1 done, 4 up to date"))
    }

    @Test func `an item that needs too much memory is given up`() throws {
      let site = try BatchSite()
      try site.addLongScan()
      let outcome = try site.batch("--max-memory", "1MiB", "--retries", "0", "--exclude", "day1")
      #expect(outcome.errors.contains("error: scans/z.obj: exceeded the memory limit of 1 MiB"))
      #expect(outcome.errors.contains("failed (75): exceeded the memory limit"))
    }

    @Test func `a batch that is killed loses the items in work at most`() throws {
      let site = try BatchSite()
      try site.addLongScan()
      let batch = try RunningBatch(site)
      try batch.waitForLongScan()
      let workers = batch.workers
      #expect(!workers.isEmpty)
      batch.send(SIGKILL)
      #expect(batch.waitForEnd() == SIGKILL)
      try batch.wait { workers.allSatisfy { kill($0, 0) != 0 } }
      #expect(try site.contents(of: "out").count == 4)
      let resumed = try site.batch("--resume")
      #expect(resumed.status == 0, "\(resumed.errors)")
      #expect(resumed.errors.contains("1 done, 4 up to date"))
      #expect(site.isClean)
      let contents = try site.contents(of: "out")
      try FileManager.default.removeItem(at: site.folder.url.appendingPathComponent("out"))
      #expect(try site.batch().status == 0)
      #expect(try site.contents(of: "out") == contents)
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
    func `a signal ends it cleanly`(signal: Int32, status: Int32) throws {
      let site = try BatchSite()
      try site.addLongScan()
      let batch = try RunningBatch(site)
      try batch.waitForLongScan()
      batch.send(signal)
      #expect(batch.waitForEnd() == status)
      // It does not wait for the long scan, which would be the fifth.
      #expect(batch.errors.contains("4 done, 1 not started"))
      #expect(batch.errors.hasSuffix("meshpipe: interrupted\n"))
      #expect(site.isClean)
      #expect(try site.entries().count == 4)
    }

    @Test func `two batches on one folder exclude each other`() throws {
      let site = try BatchSite()
      try site.addLongScan()
      let batch = try RunningBatch(site)
      try batch.waitForLongScan()
      let second = try site.batch("--resume")
      #expect(second.status == 75)
      #expect(second.errors.contains("another batch is running there"))
      batch.send(SIGTERM)
      #expect(batch.waitForEnd() == 143)
    }
  }
#endif
