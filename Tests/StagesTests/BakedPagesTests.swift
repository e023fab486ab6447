import MeshPipeline
import MeshTestSupport
import Synchronization
import Testing

@testable import MeshPipeline
@testable import Stages

/// Pages that are kept from one bake to the next, which only encodes them otherwise.
struct BakedPagesTests {
  /// Keeps one part in memory.
  private final class Memory: StagePartStore {
    let kept = Mutex<StagePart.Result?>(nil)
    let recalls = Mutex(0)

    func recall(_ part: StagePart) -> StagePart.Result? {
      let result = kept.withLock(\.self)
      if result != nil { recalls.withLock { $0 += 1 } }
      return result
    }

    func isWorthKeeping(seconds: Double, bytes: Int) -> Bool { true }

    func keep(_ result: StagePart.Result, of part: StagePart, seconds: Double) {
      kept.withLock { $0 = result }
    }
  }

  private func bake(
    _ scene: Scene, keeper: Memory?, _ change: (inout BakeTexture.Parameters) -> Void
  ) throws -> (scene: Scene, context: StageContext) {
    var parameters = BakeTexture.Parameters()
    parameters.size = 96
    change(&parameters)
    let context = StageContext()
    context.keeper = keeper
    return (try BakeTexture(parameters).run(scene, in: context), context)
  }

  @Test func `pages that were kept give what a bake gives`() throws {
    let capture = try SyntheticCapture.small {
      ($0.frameCount, $0.size) = (4, SIMD2(80, 60))
    }
    let memory = Memory()
    // One of several pages, and surfaces with another texture.
    let setups: [(inout BakeTexture.Parameters) -> Void] = [
      { _ in }, { ($0.pages, $0.unseen, $0.texelsPerMeter) = (3, .leave, 40) },
    ]
    for setup in setups {
      memory.kept.withLock { $0 = nil }
      _ = try bake(capture.scene, keeper: memory, setup)
      let changes: [(inout BakeTexture.Parameters) -> Void] = [
        { _ in }, { $0.quality = 40 }, { $0.format = .png },
      ]
      for change in changes {
        let plain = try bake(capture.scene, keeper: nil) {
          setup(&$0); change(&$0)
        }
        let kept = try bake(capture.scene, keeper: memory) {
          setup(&$0); change(&$0)
        }
        #expect(kept.scene == plain.scene)
        #expect(kept.context.warnings == plain.context.warnings)
        #expect(kept.context.notes == plain.context.notes)
      }
    }
    #expect(memory.recalls.withLock(\.self) == 6)
  }
}
