import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Synchronization
import Testing

@testable import Captures

/// The search for poses with stand-ins for the program; `EstimatePosesTests` runs the real one.
struct PoseEstimationTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A program that lists options, and otherwise does what a script says for the command in `$1`.
  private func program(_ script: String) throws -> String {
    let path = "\(folder.path)/colmap"
    let text = """
      #!/bin/sh
      echo "$@" >> '\(folder.path)/calls'
      if [ "$2" = -h ]; then
        echo "  --FeatureExtraction.use_gpu arg (=1)"; echo "  --SiftExtraction.max_num_features arg"
        echo "  --SiftMatching.use_gpu arg (=1)"; exit 0
      fi
      \(script)
      """
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  /// Photographs of plain colours, the first two alike if asked for.
  private func photographs(_ count: Int, alike: Bool = false) throws -> [Capture.Photograph] {
    try (0..<count).map { index in
      let shade = UInt8(40 * (alike ? max(0, index - 1) : index))
      let bytes = try JPEG.encode(
        Image(width: 64, height: 48, filledWith: (shade, 90, 30)), quality: 90)
      let path = "\(folder.path)/photo \(index).jpg"
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      return Capture.Photograph(
        name: "photo \(index).jpg", path: path, imageSize: SIMD2(64, 48))
    }
  }

  private func estimate(
    _ script: String, _ photographs: [Capture.Photograph], in context: StageContext = StageContext()
  ) throws -> EstimatedModel {
    let settings = PoseEstimation.Settings(imageSize: 1600, features: 500, minimumShare: 0.5)
    return try PoseEstimation(settings, program: program(script))
      .model(of: photographs, in: context)
  }

  @Test func `a program that is missing is named with its package`() {
    let settings = PoseEstimation.Settings(imageSize: 1600, features: 500, minimumShare: 0.5)
    let failure = #expect(throws: PoseEstimationFailure.self) {
      try PoseEstimation(settings, program: nil)
    }
    #expect(failure?.exitCode == .unavailable)
    #expect(failure?.message.contains("Debian, Ubuntu and Homebrew have it as 'colmap'") == true)
  }

  @Test func `options are those that the version has, without the graphics card`() throws {
    #expect(throws: PoseEstimationFailure.noModel(count: 3)) {
      try estimate("exit 0", photographs(3))
    }
    let calls = try String(contentsOfFile: "\(folder.path)/calls", encoding: .utf8).split(
      separator: "\n"
    ).map(String.init)
    let extraction = try #require(calls.first { $0.hasPrefix("feature_extractor --") })
    #expect(extraction.contains("--FeatureExtraction.use_gpu 0"))
    #expect(extraction.contains("--SiftExtraction.max_num_features 500"))
    #expect(extraction.contains("--ImageReader.default_focal_length_factor 0.8"))
    #expect(!extraction.contains("max_image_size"))
    #expect(calls.contains { $0.hasPrefix("matches_importer --") && $0.contains("use_gpu 0") })
    // The private folder with all copies is gone.
    let words = extraction.split(separator: " ").map(String.init)
    let place = try #require(words.firstIndex(of: "--image_path")).advanced(by: 1)
    #expect(!FileManager.default.fileExists(atPath: words[place]))
  }

  @Test func `a step that fails or crashes is told with its last words`() throws {
    let three = try photographs(3)
    #expect(throws: PoseEstimationFailure.failed(command: "feature_extractor", said: "no room")) {
      try estimate("echo no room >&2; exit 1", three)
    }
    let failure = #expect(throws: PoseEstimationFailure.self) {
      try estimate("[ $1 = matches_importer ] && kill -SEGV $$; exit 0", three)
    }
    #expect(failure == .crashed(command: "matches_importer", said: ""))
    #expect(failure?.exitCode == .software)
  }

  @Test func `no model, and too few photographs, end with what to do`() throws {
    let failure = #expect(throws: PoseEstimationFailure.self) {
      try estimate("[ $1 = mapper ] && exit 1; exit 0", photographs(4))
    }
    #expect(failure == .noModel(count: 4))
    #expect(failure?.exitCode == .data)
    #expect(failure?.message.contains("two thirds") == true)
    #expect(throws: PoseEstimationFailure.tooFew(count: 2)) {
      try estimate("exit 0", photographs(2))
    }
  }

  @Test func `the same photograph and a damaged one are left out by name`() throws {
    var four = try photographs(4, alike: true)
    let path = "\(folder.path)/damaged.jpg"
    let whole = try Data(contentsOf: URL(fileURLWithPath: four[0].path))
    try (whole.prefix(300) + Data(repeating: 0, count: 64)).write(
      to: URL(fileURLWithPath: path))
    four.append(Capture.Photograph(name: "damaged.jpg", path: path, imageSize: SIMD2(64, 48)))
    let context = StageContext()
    #expect(throws: PoseEstimationFailure.noModel(count: 3)) {
      try estimate("exit 0", four, in: context)
    }
    let text = context.warnings.joined(separator: "\n")
    #expect(text.contains("'photo 1.jpg' is left out: it is the same photograph as 'photo 0.jpg'"))
    #expect(text.contains("'damaged.jpg' is left out"), Comment(rawValue: text))
  }

  @Test(.neverHangs) func `cancelling ends the program at once`() throws {
    let cancellation = Cancellation()
    let context = StageContext(cancellation: cancellation)
    let three = try photographs(3)
    let timer = Thread {
      Thread.sleep(forTimeInterval: 0.5); cancellation.request()
    }
    timer.start()
    let clock = ContinuousClock()
    let start = clock.now
    #expect(throws: Cancelled.self) { try estimate("exec sleep 60", three, in: context) }
    #expect(start.duration(to: clock.now) < .seconds(20))
  }

  @Test func `few photographs are compared each with each`() {
    #expect(PhotographPairs(count: 0).pairs.isEmpty)
    #expect(PhotographPairs(count: 1).pairs.isEmpty)
    #expect(PhotographPairs(count: 40).pairs.count == 40 * 39 / 2)
  }

  @Test(arguments: [41, 200, 1000])
  func `many are compared with their neighbours, and along loops`(count: Int) {
    let pairs = PhotographPairs(count: count).pairs
    #expect(pairs.allSatisfy { $0.0 < $0.1 && $0.1 < count })
    #expect(pairs.count < 18 * count + 300)
    let known = Set(pairs.map { SIMD2($0.0, $0.1) })
    #expect(known.count == pairs.count)
    for first in 0..<count - 1 { #expect(known.contains(SIMD2(first, first + 1))) }
    // The end of a path is compared with its beginning.
    #expect(pairs.contains { $0.0 < count / 10 && $0.1 >= count - count / 10 - 1 })
  }
}
