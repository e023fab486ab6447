import Captures
import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import MeshpipeKit
import Testing

/// Frames of real captures beside a mesh that was moved, or of another place; left out where they are missing.
struct MovedMeshTests {
  private static let chair = Checkout.shared("captures/chair-3dscannerapp")
  /// Printed boards on a floor.
  private static let boards = Checkout.shared("captures/boards-3dscannerapp")

  private func read(
    _ mesh: String, _ frames: String
  ) throws -> (frames: [Capture.Frame], warnings: [String]) {
    let found = try builtInCaptures.find(frames)
    let context = ReadingContext()
    let scene = try ScanSource(path: mesh, format: OBJ.self, frames: found).read(in: context)
    return (scene.capture?.frames ?? [], context.stage.warnings)
  }

  /// The mesh of an export, moved.
  private func moved(_ capture: String, by shift: SIMD3<Double>) throws -> String {
    let lines = try String(contentsOfFile: "\(capture)/export.obj", encoding: .utf8)
      .split(separator: "\n").filter { $0.hasPrefix("v ") || $0.hasPrefix("f ") }
    return lines.map { line -> String in
      let words = line.split(separator: " ")
      guard words[0] == "v" else {
        // Only the vertices of corners.
        return words.map { $0.prefix { $0 != "/" } }.joined(separator: " ")
      }
      let position = (0..<3).map { (Double(words[1 + $0]) ?? .nan) + shift[$0] }
      return "v \(position[0]) \(position[1]) \(position[2])"
    }.joined(separator: "\n")
  }

  @Test(.enabled(if: chair != nil, "the capture is missing"))
  func `the frames of a chair follow its mesh`() throws {
    let capture = try #require(Self.chair)
    let shift = SIMD3(2.4, -0.7, 3.1)
    let folder = try TemporaryFolder()
    let path = try folder.write("moved.obj", Array(moved(capture, by: shift).utf8))
    let (here, there) = (try read("\(capture)/export.obj", capture), try read(path, capture))
    #expect(there.warnings.count == here.warnings.count + 1, "\(there.warnings)")
    #expect(
      there.warnings.contains { $0.contains("the mesh was moved without its frames, by 3.9") },
      "\(there.warnings)")
    #expect(there.frames.map(\.name) == here.frames.map(\.name))
    for (after, before) in zip(there.frames, here.frames) {
      // The app's own mesh lies some centimetres from its depth maps.
      #expect((after.pose.translation - before.pose.translation - shift).length < 0.06)
    }
  }

  @Test(.enabled(if: boards != nil, "the capture is missing"))
  func `a floor that was moved does not show exactly where it went`() throws {
    let capture = try #require(Self.boards)
    let folder = try TemporaryFolder()
    let near = try folder.write("near.obj", Array(moved(capture, by: SIMD3(0.5, 0, 0)).utf8))
    let (here, there) = (try read("\(capture)/export.obj", capture), try read(near, capture))
    #expect(there.warnings.count == here.warnings.count + 1, "\(there.warnings)")
    #expect(
      there.warnings.contains { $0.contains("seems to have been moved without its frames") },
      "\(there.warnings)")
    #expect(there.frames.map(\.pose) == here.frames.map(\.pose))
    let far = try folder.write("far.obj", Array(moved(capture, by: SIMD3(2.4, -0.7, 3.1)).utf8))
    #expect(throws: CaptureError.self) { try read(far, capture) }
  }

  @Test(.enabled(if: chair != nil, "the capture is missing"))
  func `the frames of a garden are not put into a living room`() throws {
    let capture = try #require(Self.chair)
    #expect(throws: CaptureError.self) { try read(Checkout.sample, capture) }
  }
}
