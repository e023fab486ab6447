import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry

/// The smooth error of a depth map is found and taken out.
struct DepthBiasTests {
  /// A wall at z = −2, seen at right angles, with depths off by a share that changes over the image.
  private static func wall(_ share: (SIMD3<Double>) -> Double) throws -> DepthView {
    var capture = try DepthCapture()
    try capture.add(
      DepthCapture.rays.map { Float(2 * (1 + share($0))) }, pose: .identity)
    let maps = DepthMaps(
      capture.frames, .arkit, maximumDepth: 5, minimumConfidence: 1, isExtended: true)
    return try #require(maps.view(of: 0).view)
  }

  private static func trueWall() throws -> RayTracer {
    try RayTracer(
      positions: [Vector3(-9, -9, -2), Vector3(9, -9, -2), Vector3(9, 9, -2), Vector3(-9, 9, -2)],
      indices: [0, 1, 2, 0, 2, 3])
  }

  /// The mean difference of the depths from those of the wall, in metres.
  private static func error(of view: DepthView) -> Float {
    var sum = SIMD2<Float>.zero
    for y in 0..<view.planes.size.y {
      for x in 0..<view.planes.size.x where view.planes.weights[y * view.planes.size.x + x] > 0 {
        sum += SIMD2(abs(view.surfacePoint(x, y).z - 2), 1)
      }
    }
    return sum.x / sum.y
  }

  @Test func `an error that changes slowly over the image is taken out`() throws {
    let view = try Self.wall { 0.004 * sin(4 * $0.x + 1) * cos(3 * $0.y) }
    let corrected = DepthBias(of: view, from: try Self.trueWall()).removed(from: view)
    let before = Self.error(of: view)
    #expect(before > 0.002)
    #expect(Self.error(of: corrected) < before / 3)
    #expect(abs(corrected.correction / before - 1) < 0.3)
  }

  @Test func `another surface behind or before the pixels is not an error`() throws {
    // The right half sees something 10 cm before the wall.
    let view = try Self.wall { $0.x > 0 ? -0.05 : 0 }
    let corrected = DepthBias(of: view, from: try Self.trueWall()).removed(from: view)
    #expect(corrected.correction < 0.0005)
  }

  /// A wall seen from all sides, each depth map off by up to 0.6 % of the depth.
  private static func wallFromAllSides() throws -> DepthCapture {
    var capture = try DepthCapture()
    let shape = DepthCapture.box(SIMD3(-9, -9, -1), SIMD3(9, 9, 0))
    for index in 0..<16 {
      let angle = Double(index) * 2.4
      let eye = SIMD3(
        0.15 * Double(index % 5) * cos(angle), 0.15 * Double(index % 5) * sin(angle), 1.2)
      let pose = SyntheticCapture.pose(at: eye, lookingAt: SIMD3(eye.x / 3, eye.y / 2, 0))
      let depths = DepthCapture.rays.map { ray in
        let bias = 0.006 * sin(2.5 * ray.x + 1.7 * Double(index)) * cos(2 * ray.y + Double(index))
        return Float((shape(eye, pose.apply(toVector: ray)) ?? 0) * (1 + bias))
      }
      try capture.add(depths, pose: pose)
    }
    return capture
  }

  private static func fused(_ capture: DepthCapture, removesBias: Bool?) throws
    -> DepthFusion.Result
  {
    let settings = DepthFusionTests.settings(voxel: 0.03, removesBias: removesBias)
    return try DepthFusion(capture.frames, .arkit, settings).fused { _ in }
  }

  @Test func `frames that overlap agree, so that walls have no steps`() throws {
    let capture = try Self.wallFromAllSides()
    /// The mean distance from the wall and the mean slope against it, in metres and radians.
    func error(_ mesh: Mesh) -> SIMD2<Double> {
      let sum = (0..<mesh.faceCount).reduce(SIMD2<Double>.zero) { sum, face in
        let normal = mesh.areaVector(ofFace: face)
        let point = mesh.positions[Int(mesh.indices[3 * face])]
        return sum + SIMD2(abs(Double(point.z)), acos(min(normal.z / normal.length, 1)))
      }
      return sum / Double(mesh.faceCount)
    }
    let plain = try Self.fused(capture, removesBias: false)
    let corrected = try Self.fused(capture, removesBias: true)
    #expect(plain.bias == nil)
    // Half the amplitude of 0.6 % at some 1.5 m.
    #expect(try #require(corrected.bias) > 0.001 && corrected.bias ?? 1 < 0.005)
    #expect(all(error(corrected.mesh) .< 0.9 * error(plain.mesh)))
    #expect(abs(corrected.mesh.faceCount - plain.mesh.faceCount) < plain.mesh.faceCount / 50)
  }

  @Test func `small depth maps are corrected only where that is asked for`() throws {
    var capture = try DepthCapture()
    for _ in 0..<2 { try capture.add(DepthCapture.rays.map { _ in Float(1) }, pose: .identity) }
    #expect(DepthCapture.size.x < DepthBias.leastWidth)
    #expect(try Self.fused(capture, removesBias: nil).bias == nil)
    #expect(try Self.fused(capture, removesBias: true).bias != nil)
  }
}
