import MeshPipeline
import MeshTestSupport
import Testing

/// Which images are decoded again, and how many bytes are stored.
struct FrameStoreTests {
  private static let frames = (0..<6).map { index in
    Capture.Frame(
      name: "\(index)", image: .file("\(index).jpg"), imageSize: SIMD2(8, 8),
      intrinsics: Capture.Intrinsics(focalLength: SIMD2(8, 8), principalPoint: SIMD2(4, 4)),
      pose: .identity)
  }
  /// Of one image.
  private static let bytes = 3 * 4 * 4

  /// The frames that are decoded when all are asked for, in order.
  private func decoded(
    _ frames: [Capture.Frame] = frames, by store: FrameStore, reduction: Int = 2
  ) -> [String] {
    var decoded: [String] = []
    for (index, frame) in frames.enumerated() {
      let image = store.image(of: frame, reducedBy: reduction) {
        decoded.append(frame.name)
        return Image(width: 4, height: 4, filledWith: (UInt8(index), 0, 0))
      }
      #expect(image.size == SIMD2(4, 4))
    }
    return decoded
  }

  private static let all = frames.map(\.name)

  @Test func `an image is decoded once for all stages that ask, and released by the last`() {
    let store = FrameStore(capacity: 1000)
    store.begin(Self.frames, isNeededLater: true)
    #expect(decoded(by: store) == Self.all)
    #expect(decoded(by: store).isEmpty)
    #expect(store.bytes == 6 * Self.bytes)
    // Another size is another image.
    #expect(decoded(by: store, reduction: 4) == Self.all)
    store.begin(Self.frames, isNeededLater: false)
    #expect(decoded(by: store).isEmpty)
    #expect(store.bytes == 6 * Self.bytes)
    #expect(decoded(by: store) == Self.all)
    #expect(decoded(by: store, reduction: 4).isEmpty)
    #expect(store.bytes == 0)
  }

  @Test func `what fits stays, however often all are asked for`() {
    let store = FrameStore(capacity: 4 * Self.bytes + 5)
    store.begin(Self.frames, isNeededLater: true)
    for _ in 0..<3 {
      _ = decoded(by: store)
      #expect(store.bytes == 4 * Self.bytes)
      #expect(decoded(by: store) == ["4", "5"])
    }
    store.clear()
    #expect(store.bytes == 0)
    #expect(decoded(by: store) == Self.all)
  }

  @Test func `images of frames that were left out are released`() {
    let store = FrameStore(capacity: 1000)
    store.begin(Self.frames, isNeededLater: true)
    _ = decoded(by: store)
    let kept = Array(Self.frames[2..<4])
    store.begin(kept, isNeededLater: true)
    #expect(store.bytes == 2 * Self.bytes)
    #expect(decoded(kept, by: store).isEmpty)
  }

  @Test func `whole images are not stored, nor any without capacity`() {
    let store = FrameStore(capacity: 1000)
    store.begin(Self.frames, isNeededLater: true)
    #expect(decoded(by: store, reduction: 1) == Self.all)
    #expect(decoded(by: store, reduction: 1) == Self.all)
    let none = FrameStore(capacity: 0)
    none.begin(Self.frames, isNeededLater: true)
    #expect(decoded(by: none) == Self.all)
    #expect(decoded(by: none) == Self.all)
    #expect(store.bytes == 0 && none.bytes == 0)
  }

  @Test func `frames with one image and different masks have pixels of their own`() {
    let store = FrameStore(capacity: 1000)
    let (whole, mask) = (
      Self.frames[0], PixelMask(width: 4, height: 4, hidden: Array(repeating: true, count: 16))
    )
    var masked = whole
    masked.name = "masked"
    masked.masks = [Capture.MaskSource(path: "0.png")]
    store.begin([whole, masked], isNeededLater: true)
    #expect(decoded([whole], by: store) == ["0"])
    let image = store.image(of: masked, reducedBy: 2) {
      Image(width: 4, height: 4, filledWith: (0, 0, 0)).masked(mask)
    }
    #expect(image.mask == mask)
    #expect(decoded([whole, masked], by: store).isEmpty)
    #expect(store.bytes == 2 * Self.bytes + 16)
    store.begin([whole], isNeededLater: true)
    #expect(store.bytes == Self.bytes)
  }

  @Test func `a failed decoding is not stored`() {
    struct Damage: Error {}
    let store = FrameStore(capacity: 1000)
    store.begin(Self.frames, isNeededLater: true)
    #expect(throws: Damage.self) {
      _ = try store.image(of: Self.frames[0], reducedBy: 2) { throw Damage() }
    }
    #expect(decoded(by: store) == Self.all)
  }
}
