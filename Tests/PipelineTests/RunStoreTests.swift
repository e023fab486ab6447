import MeshPipeline
import MeshTestSupport
import Testing

/// Which depth maps of a run are decoded again, and how many bytes are stored.
struct RunStoreTests {
  private static let sources = (0..<6).map {
    Capture.DepthSource(path: "\($0).png", encoding: .png16(metersPerUnit: 0.001))
  }
  /// Of one map of four by three depths with confidences.
  private static let bytes = 4 * 3 * (4 + 1)

  /// The paths of the maps that are decoded when all are asked for, in order.
  private func decoded(
    _ sources: [Capture.DepthSource] = sources, by store: RunStore
  ) -> [String] {
    var decoded: [String] = []
    for (index, source) in sources.enumerated() {
      let map = store.value(for: source, size: { 5 * $0.meters.count }) {
        decoded.append(source.path)
        return DepthMap(
          width: 4, height: 3, meters: [Float](repeating: Float(index), count: 12),
          confidences: [UInt8](repeating: 2, count: 12))
      }
      #expect(map.meters == [Float](repeating: Float(index), count: 12))
    }
    return decoded
  }

  @Test func `a map is decoded once, and again with other depths`() {
    let store = RunStore()
    #expect(decoded(by: store) == Self.sources.map(\.path))
    #expect(decoded(by: store).isEmpty)
    #expect(store.bytes == 6 * Self.bytes)
    let scaled = Self.sources.map { source in
      var source = source
      source.scale = 0.5
      return source
    }
    #expect(decoded(scaled, by: store) == Self.sources.map(\.path))
  }

  @Test func `what does not fit is decoded each time, and keeps nothing out`() {
    let store = RunStore(capacity: 4 * Self.bytes)
    #expect(decoded(by: store).count == 6)
    #expect(decoded(by: store) == ["4.png", "5.png"])
    #expect(store.bytes == 4 * Self.bytes)
  }

  @Test func `what can't be decoded is not stored`() throws {
    let store = RunStore()
    for _ in 0..<2 {
      #expect(throws: CaptureError.self) {
        try store.value(for: Self.sources[0], size: { (_: DepthMap) in 0 }) {
          throw CaptureError("0.png", "is not an image")
        }
      }
    }
    #expect(decoded(by: store).count == 6)
  }
}
