import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats
@testable import NativeLibraries
@testable import Workers

/// The memory of a worker is bounded by what it works on.
struct AssimpMemoryTests {
  @Test func `a small model gets little, a large one what its format takes`() {
    #expect(WorkerLimits(forBytes: 0).memory == 512 << 20)
    #expect(WorkerLimits(forBytes: 1 << 20).memory == 576 << 20)
    #expect(WorkerLimits(forBytes: 1 << 20, costing: FBX.memoryPerByte).memory == 640 << 20)
    // However large a file claims to be, the machine has to stay usable.
    let most = WorkerLimits(forBytes: .max).memory
    #expect(most >= 1 << 30 && most < 1 << 46)
  }

  #if os(Linux)
    @Test(.notSanitized) func `programs and libraries do not count`() throws {
      let folder = try TemporaryFolder()
      AssimpWorker.executable = Program.meshpipe
      try COLLADA.write(
        SceneFixtures.room, to: OutputSet(folder: folder.path, mainFileName: "room.dae"),
        in: WritingContext())
      let worker = AssimpClient(
        executable: Program.meshpipe, limits: WorkerLimits(memory: 64 << 20, seconds: 60))
      let context = StageContext()
      #expect(try worker.read(folder.path + "/room.dae", in: context).scene.faceCount > 0)

      // A picture that is named may take more, and one that is not takes nothing.
      let picture = folder.path + "/room_wall-paper.png"
      let handle = try #require(FileHandle(forWritingAtPath: picture))
      try handle.truncate(atOffset: 96 << 20)
      let scene = try worker.readBack(folder.path + "/room.dae", in: context)
      #expect(scene.textures.map(\.bytes.count) == [96 << 20])
      #expect(throws: WorkerError.outOfMemory(.init(.reading, picture), limit: 64 << 20)) {
        try worker.run(.misbehave(.eatMemory, path: picture), in: context)
      }
    }
  #endif
}
