import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats
@testable import NativeLibraries
@testable import Workers

/// What comes of a worker that goes wrong; `misbehave` makes it do so after it is confined.
@Suite(.neverHangs)
struct AssimpWorkerTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/scans/scan.off" }

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("scans/scan.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    try folder.write("scans-neighbour", "of nobody's concern")
  }

  private func worker(memory: Int = 1 << 31, seconds: Double = 30) -> AssimpClient {
    AssimpClient(
      executable: Program.meshpipe, limits: WorkerLimits(memory: memory, seconds: seconds))
  }

  private func misbehave(
    _ way: AssimpRequest.Misbehaviour, _ worker: AssimpClient,
    context: StageContext = StageContext()
  ) throws -> WireMessage {
    try worker.run(.misbehave(way, path: path), in: context)
  }

  private var reading: WorkerError.Task { .init(.reading, path) }

  @Test(.notSanitized) func `a crash is an error about the file`() {
    let error = #expect(throws: WorkerError.self) { try misbehave(.crash, worker()) }
    #expect(error == .crashed(reading, signal: SIGABRT, said: ""))
    #expect(error?.exitCode == .data)
    #expect(error?.message.contains("Assimp crashed reading it") == true)
  }

  @Test(.notSanitized) func `the memory of the process that starts it is not a worker's own`() {
    let own = [UInt8](repeating: 1, count: 700 << 20)
    let error = #expect(throws: WorkerError.self) { try misbehave(.crash, worker(memory: 1 << 30)) }
    #expect(error == .crashed(reading, signal: SIGABRT, said: ""))
    #expect(own.last == 1)
  }

  @Test func `a worker that hangs is ended at its deadline`() {
    let error = #expect(throws: WorkerError.self) { try misbehave(.hang, worker(seconds: 0.3)) }
    #expect(error == .timedOut(reading, seconds: 0.3))
    #expect(error?.exitCode == .temporary)
  }

  @Test(.notSanitized) func `memory has a ceiling`() {
    let error = #expect(throws: WorkerError.self) {
      try misbehave(.eatMemory, worker(memory: 1 << 29))
    }
    #expect(error == .outOfMemory(reading, limit: 1 << 29))
    #expect(error?.exitCode == .temporary)
  }

  @Test(arguments: [AssimpRequest.Misbehaviour.stopHalfway, .talkNonsense])
  func `an answer that is none is an error about the file`(way: AssimpRequest.Misbehaviour) {
    let error = #expect(throws: WorkerError.self) { try misbehave(way, worker()) }
    #expect(error?.exitCode == .data)
    guard case .nonsense? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a worker that says a megabyte of nothing does not block`() throws {
    #expect(try misbehave(.chatter, worker()) == .done)
  }

  @Test func `a request to stop ends the worker long before its deadline`() {
    let cancellation = Cancellation()
    let context = StageContext(cancellation: cancellation)
    Thread.detachNewThread {
      usleep(200_000)
      cancellation.request()
    }
    // At its deadline it would end with another error.
    #expect(throws: Cancelled.self) { try misbehave(.hang, worker(), context: context) }
  }

  #if os(Linux)
    /// Whether a process has the test's file in its command line.
    private var isWorkerLeft: Bool {
      let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
      return processes.contains { process in
        guard Int(process) != nil else { return false }
        let line = try? Data(contentsOf: URL(filePath: "/proc/\(process)/cmdline"))
        return line.map { String(decoding: $0, as: UTF8.self).contains("misbehave") } == true
          && line.map { String(decoding: $0, as: UTF8.self).contains(path) } == true
      }
    }

    /// Whether there is none left, or none after a while.
    private var areWorkersGone: Bool {
      var rounds = 0
      while isWorkerLeft, rounds < 1000 {
        usleep(20_000)
        rounds += 1
      }
      return !isWorkerLeft
    }

    @Test func `no worker is left behind`() throws {
      for way in [AssimpRequest.Misbehaviour.hang, .crash, .stopHalfway] {
        _ = try? misbehave(way, worker(seconds: 0.2))
      }
      #expect(!isWorkerLeft)
    }

    @Test func `a worker ends with its parent, however that ends`() throws {
      let script = """
        "$0" __assimp $$ 2000000000 60 1000 misbehave hang "$1" &
        sleep 0.3; kill -9 $$
        """
      let shell = try Program.run("/bin/sh", ["-c", script, Program.meshpipe, path])
      #expect(shell.status == 128 + 9)
      #expect(areWorkersGone)
    }
  #endif

  #if os(Linux)
    @Test func `a worker can't read, write or reach anything outside its folder`() throws {
      #expect(try misbehave(.trespass, worker()) == .done)
    }

    private static let bubblewrap: Comment = "needs bubblewrap, and a system that lets it work"

    /// A worker that bubblewrap confines also where there is Landlock.
    private func wrapped(memory: Int = 1 << 31, seconds: Double = 30) -> AssimpClient {
      var worker = worker(memory: memory, seconds: seconds)
      worker.confinement = .bubblewrap
      return worker
    }

    @Test(.enabled(if: Bubblewrap.works, bubblewrap))
    func `nor can it in a view of bubblewrap's, without Landlock`() throws {
      let command = WithoutLandlock.command(
        wrapped().command(for: .misbehave(.trespass, path: path)))
      let outcome = try Program.run(command[0], Array(command[1...]))
      #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
      // So that it is seen to see.
      let bare = WithoutLandlock.command(
        [Program.meshpipe, AssimpServer.verb, "0"] + command.suffix(6))
      #expect(try Program.run(bare[0], Array(bare[1...])).status != 0)
    }

    @Test(.notSanitized, .enabled(if: Bubblewrap.works, bubblewrap))
    func `in a view of bubblewrap's its ends mean the same`() throws {
      #expect(throws: WorkerError.crashed(reading, signal: SIGABRT, said: "")) {
        try misbehave(.crash, wrapped())
      }
      #expect(throws: WorkerError.timedOut(reading, seconds: 0.3)) {
        try misbehave(.hang, wrapped(seconds: 0.3))
      }
      #expect(throws: WorkerError.outOfMemory(reading, limit: 1 << 29)) {
        try misbehave(.eatMemory, wrapped(memory: 1 << 29))
      }
      #expect(throws: WorkerError.timedOut(reading, seconds: 1)) {
        try misbehave(.burnTime, wrapped(seconds: 1))
      }
      #expect(areWorkersGone)
    }
  #endif

  @Test(.notSanitized) func `a file that grows beyond its ceiling is an error of writing`() throws {
    AssimpWorker.executable = Program.meshpipe
    let limits = WorkerLimits(memory: 1 << 31, seconds: 30, fileSize: 2000)
    let worker = AssimpClient(executable: Program.meshpipe, limits: limits)
    var scene = SceneFixtures.room
    scene.textures = []
    scene.materials = []
    scene.meshes[0].faceMaterials = nil
    let ready = AssimpExportScene(scene, levels: [1], fileNames: nil, maps: []).scene
    for type in builtInFormats.compactMap({ $0 as? any AssimpWritableFormat.Type }) {
      let format = type.exporter.id
      // Where the exporter takes no notice, as on a full disk, reading back will.
      let path = folder.path + "/room.\(type.extensions[0])"
      let error = #expect(throws: (any Error).self) {
        try worker.write(ready, as: format, to: path, in: StageContext())
        _ = try WrittenModelCheck(scene).check(path, in: StageContext())
      }
      #expect(
        (error as? any UserError)?.exitCode == .inputOutput,
        "\(format): \(String(describing: error))")
    }
  }

  @Test func `a program that is not there is said so`() {
    let worker = AssimpClient(
      executable: "/nowhere/meshpipe", limits: WorkerLimits(memory: 1 << 31, seconds: 5))
    let error = #expect(throws: WorkerError.self) {
      try worker.read(path, in: StageContext())
    }
    #expect(error?.exitCode == .unavailable)
  }

  @Test func `a missing file is a missing input`() {
    let error = #expect(throws: WorkerError.self) {
      try worker().read(folder.path + "/none.off", in: StageContext())
    }
    #expect(error?.exitCode == .noInput)
  }

  @Test func `a model comes through welded`() throws {
    let content = try worker().read(path, in: StageContext())
    #expect(content.scene.meshes.count == 1)
    #expect(content.scene.vertexCount == 3)
    #expect(content.scene.faceCount == 1)
  }
}
