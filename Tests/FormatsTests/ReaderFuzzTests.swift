import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// Damaged files end in an error or a valid scene: no trap, no hang, no memory without bounds.
///
/// Quick by default; `MESHPIPE_FUZZ_SECONDS` sets the time, `MESHPIPE_FUZZ_SEED` where to begin. A
/// trap ends the test run and leaves the folder `meshpipe-test-…` with the file that caused it.
@Suite(.serialized) struct ReaderFuzzTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let seconds = environment["MESHPIPE_FUZZ_SECONDS"].flatMap(Double.init) ?? 3
  private static let firstSeed = environment["MESHPIPE_FUZZ_SEED"].flatMap(UInt64.init) ?? 1

  @Test func `damaged files of every native format are refused or read`() throws {
    let samples = try ReaderSamples.all()
    let folder = try TemporaryFolder()
    for sample in samples { for (name, bytes) in sample.files { try folder.write(name, bytes) } }
    let registry = FormatRegistry(builtInFormats)
    let start = ContinuousClock.now
    var seed = Self.firstSeed
    while ContinuousClock.now - start < .seconds(Self.seconds) {
      let sample = samples[Int(seed % UInt64(samples.count))]
      var mutator = Mutator(seed: seed)
      let victim = sample.files[Int(seed / UInt64(samples.count)) % sample.files.count]
      try folder.write(victim.name, mutator.mutate(victim.bytes))
      let seconds = try threadSeconds {
        try read(folder.path + "/" + sample.files[0].name, registry, seed)
      }
      // On the slowest machine a file of some kilobytes takes no minute, unless it never ends.
      #expect(seconds < 60, "slow at seed \(seed)")
      try folder.write(victim.name, victim.bytes)
      seed += 1
    }
  }

  private func read(_ path: String, _ registry: FormatRegistry, _ seed: UInt64) throws {
    let reader = try #require(registry.reader(forPath: path))
    do {
      let scene = try reader.read(path, in: ReadingContext())
      for mesh in scene.meshes {
        #expect(throws: Never.self, "seed \(seed)") {
          try mesh.validate(materialCount: scene.materials.count)
        }
      }
    } catch let error as any UserError {
      #expect(!error.message.isEmpty, "seed \(seed)")
    }
  }

  @Test func `every sample is read when it is whole`() throws {
    let folder = try TemporaryFolder()
    for sample in try ReaderSamples.all() {
      for (name, bytes) in sample.files { try folder.write(name, bytes) }
      let scene = try Reading(folder.path + "/" + sample.files[0].name).scene
      #expect(scene.faceCount + scene.pointCount > 0, "\(sample.files[0].name)")
    }
  }
}
