import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry

/// A box in a room is moved between two sessions.
struct SessionChangesTests {
  private static let half = SIMD3(2.0, 1.3, 2.0)
  private static let places = [SIMD3(-1.2, -1.3, 0), SIMD3(1.2, -1.3, 0.2)]

  private static func box(at place: SIMD3<Double>) -> (low: SIMD3<Double>, high: SIMD3<Double>) {
    (place - SIMD3(0.25, 0, 0.25), place + SIMD3(0.25, 0.5, 0.25))
  }

  /// What two sessions see of the room, with the box at a place of each.
  private static func capture(_ places: [SIMD3<Double>]) throws -> DepthCapture {
    var capture = try DepthCapture()
    for place in places {
      let box = box(at: place)
      let shape = DepthCapture.nearest(of: [
        DepthCapture.room(half), DepthCapture.box(box.low, box.high),
      ])
      for number in 0..<16 {
        let angle = Double(number) * .pi / 8
        let eye = SIMD3(0.5 * cos(angle), 0.4, 1.2 * sin(angle))
        try capture.add(shape, from: eye, lookingAt: SIMD3(number % 2 == 0 ? -1.2 : 1.2, -1.1, 0))
      }
    }
    return capture
  }

  private static func fused(_ frames: [Capture.DepthFrame]) throws -> DepthFusion.Result {
    try DepthFusion(frames, .arkit, DepthFusionTests.settings(voxel: 0.03)).fused { _ in }
  }

  /// The vertices at a box, but for where it stands.
  private static func count(_ mesh: Mesh, at place: SIMD3<Double>) -> Int {
    let box = box(at: place)
    let (low, high) = (box.low - SIMD3(0.05, -0.08, 0.05), box.high + 0.05)
    return mesh.positions.count { all($0.double .>= low) && all($0.double .<= high) }
  }

  @Test func `what was moved is where the later session saw it`() throws {
    // Holds the files.
    let capture = try Self.capture(Self.places)
    var frames = capture.frames
    for index in 16..<32 { frames[index].session = 1 }
    let result = try Self.fused(frames)
    #expect(result.changes.map { [$0.earlier, $0.later] } == [[0, 1]])
    // What is seen of both boxes is at most 1.25 m² each.
    #expect((result.changes.first?.area ?? 0) > 0.3 && (result.changes.first?.area ?? 9) < 2.6)
    #expect(Self.count(result.mesh, at: Self.places[0]) == 0)
    #expect(Self.count(result.mesh, at: Self.places[1]) > 300)
    // The other way round the first place is the later one.
    for index in frames.indices { frames[index].session = index < 16 ? 1 : 0 }
    let reversed = try Self.fused(frames).mesh
    #expect(Self.count(reversed, at: Self.places[0]) > 300)
    #expect(Self.count(reversed, at: Self.places[1]) == 0)
    withExtendedLifetime(capture) {}
  }

  @Test func `sessions that agree are fused like one`() throws {
    let capture = try Self.capture([Self.places[0], Self.places[0]])
    var frames = capture.frames
    let one = try Self.fused(frames)
    for index in 16..<32 { frames[index].session = 1 }
    let two = try Self.fused(frames)
    #expect(two.changes.isEmpty && two.mesh == one.mesh)
    withExtendedLifetime(capture) {}
  }
}
