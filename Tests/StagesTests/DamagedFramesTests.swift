import Foundation
import MeshTestSupport
import NativeLibraries
import Stages
import Testing

@testable import MeshPipeline

/// Captures whose frames were read, but whose pictures or depth maps can't be measured.
///
/// Readers look at headers only, and a file may change after it was read: what a stage finds later may be anything.
struct DamagedFramesTests {
  /// What is wrong with a frame.
  enum Damage: CaseIterable, Sendable {
    /// The header is whole, the pixels can't be decoded.
    case brokenPixels
    case emptyFile
    case missingFile
    case noSize
    /// So the frame says, too.
    case onePixel
    /// The frame says otherwise.
    case onePixelUnforeseen
    case brokenDepth
    case onePixelDepth

    /// Whether no pixel of the picture can be had.
    var hidesPicture: Bool { [.brokenPixels, .emptyFile, .missingFile].contains(self) }
  }

  private static let registry = StageRegistry(builtInStages)
  private static let names = builtInStages.map { $0.name }.filter { name in
    let features = registry[name]?.dataFlow.readFeatures ?? []
    // What 'bake-colors' observes it observes in the same way, for millions of texels.
    return name != "bake-texture" && !features.isDisjoint(with: [.frames, .depthMaps])
  }
  /// The stages that look at the pixels of frames.
  private static let lookers: Set = [
    "bake-colors", "check-capture", "refine-mesh", "refine-poses", "select-frames",
  ]

  @Test(arguments: names)
  func `a stage ends on frames that can't be measured, and says so`(name: String) throws {
    let capture = try SyntheticCapture { options in
      options.frameCount = 4
      options.size = SIMD2(64, 48)
      options.samples = 1
      options.depthSize = SIMD2(16, 12)
    }
    let stage = try Self.stage(name)
    for damage in Damage.allCases {
      let harmed = try capture.frames.map { try Self.harmed($0, damage, capture.folder) }
      for (hasMesh, isWhole) in [(true, true), (false, false)] {
        var scene = capture.scene
        if !hasMesh { scene.meshes = [] }
        for index in isWhole ? Array(harmed.indices) : [2] {
          scene.capture?.frames[index] = harmed[index]
        }
        let context = StageContext()
        let refusal = try Self.refusal(of: stage, on: scene, in: context)
        if Self.lookers.contains(name), hasMesh, isWhole, damage.hidesPicture {
          #expect(refusal != nil || !context.warnings.isEmpty, "\(name), \(damage): not a word")
        }
      }
    }
  }

  /// The message of a stage that refuses a scene; nil if it does not.
  private static func refusal(
    of stage: any Stage, on scene: Scene, in context: StageContext
  ) throws -> String? {
    do {
      _ = try stage.run(scene, in: context)
      return nil
    } catch let error as any UserError {
      #expect(error.exitCode == .data, "\(error.message)")
      return error.message
    }
  }

  private static func stage(_ name: String) throws -> any Stage {
    let definition = try #require(registry[name])
    let example = try #require(JSONReader.read(Array(definition.example.utf8)).value)
    var members: [JSONValue.Member] = []
    if case .object(let with) = example["with"]?.content { members = with }
    let stage = definition.prepared(with: members) { _, _, message in Issue.record("\(message)") }
    return try #require(stage as? any Stage)
  }

  private static func harmed(
    _ frame: Capture.Frame, _ damage: Damage, _ folder: TemporaryFolder
  ) throws -> Capture.Frame {
    var frame = frame
    switch damage {
    case .brokenPixels: frame.image = .file(try broken(frame.image.path, in: folder))
    case .emptyFile: frame.image = .file(try folder.write("empty.png", []))
    case .missingFile: frame.image = .file(folder.path + "/none.png")
    case .noSize: frame.imageSize = .zero
    case .onePixel, .onePixelUnforeseen:
      let image = Image(width: 1, height: 1, pixels: [10, 120, 240])
      frame.image = .file(try folder.write("pixel.png", PNG.encode(image)))
      guard damage == .onePixel else { break }
      frame.intrinsics = frame.intrinsics.scaled(from: frame.imageSize, to: SIMD2(1, 1))
      frame.imageSize = SIMD2(1, 1)
    case .brokenDepth:
      let path = try #require(frame.depth?.path)
      frame.depth?.path = try broken(path, in: folder)
    case .onePixelDepth:
      let depth = try PNG.encodeGray16([1500], width: 1, height: 1)
      frame.depth?.path = try folder.write("depth.png", depth)
      frame.depth?.confidence = nil
    }
    return frame
  }

  /// A copy of a PNG whose compressed pixels are other bytes from their middle on.
  private static func broken(_ path: String, in folder: TemporaryFolder) throws -> String {
    var bytes = try FileSystem.contents(of: path)
    for index in bytes.count / 2..<bytes.count - 20 { bytes[index] ^= 0x5A }
    return try folder.write("broken \(FileSystem.name(of: path))", bytes)
  }
}
