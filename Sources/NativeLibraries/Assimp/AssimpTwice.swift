internal import CSandbox
import MeshPipeline

/// Reads a model twice, in memory filled with different bytes, and refuses it unless both agree.
///
/// Of damaged files Assimp reads beyond the ends of arrays and takes what lies there for coordinates, others each
/// time, without a word. Nothing in the scene shows it but that.
enum AssimpTwice {
  /// The share of the time that a model may take after which it is not read again.
  private static let longShare = 0.4

  /// - Parameter seconds: What both readings together may take.
  static func read(
    _ path: String, allowsAllFolders: Bool, seconds: Double
  ) throws -> WireScene {
    let start = MonotonicClock.seconds
    try COLLADASource.check(path)
    var first = try filled(with: 0x55) {
      try AssimpImport.read(path, allowsAllFolders: allowsAllFolders)
    }
    guard MonotonicClock.seconds - start < seconds * longShare else {
      first.warnings.append(
        "it took so long to read that it was not read again to prove that the file is sound")
      return first
    }
    let digest = try WireDigest(of: first)
    let second = try filled(with: 0xD7) {
      try? WireDigest(of: AssimpImport.read(path, allowsAllFolders: allowsAllFolders))
    }
    guard second == digest else { throw AssimpError.uncertain(path: path) }
    return first
  }

  /// Calls `body` in memory filled with a byte, or in memory as it is where that can't be done.
  private static func filled<Value>(
    with fill: UInt8, _ body: @escaping () throws -> Value
  ) throws -> Value {
    var result: Result<Value, any Error>?
    let call = FilledCall { result = Result { try body() } }
    _ = unsafe sandbox_run_filled(
      fill,
      { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<FilledCall>.fromOpaque(context).takeUnretainedValue().body()
      }, Unmanaged.passUnretained(call).toOpaque())
    if let result { return try result.get() }
    return try body()
  }
}

/// What a C function calls back.
private final class FilledCall {
  let body: () -> Void

  init(_ body: @escaping () -> Void) { self.body = body }
}

/// A number that two scenes have in common only when they are the same, bit by bit.
private struct WireDigest: Equatable {
  private var value: UInt64 = 0x9E37_79B9_7F4A_7C15

  init(of scene: WireScene) throws {
    try WireEncoder.write(.scene(scene), to: &self)
  }

  private mutating func mix(_ word: UInt64) {
    let product = (value ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    value = product.low ^ product.high &+ 0x9E37_79B9_7F4A_7C15
  }
}

extension WireDigest: WireOutput {
  mutating func write(_ bytes: RawSpan) throws {
    mix(UInt64(bytes.byteCount))
    var offset = 0
    while offset + 8 <= bytes.byteCount {
      mix(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    while offset < bytes.byteCount {
      mix(UInt64(unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)))
      offset += 1
    }
  }
}
