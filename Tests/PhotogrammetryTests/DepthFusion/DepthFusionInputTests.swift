import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry

/// Depths that are wrong, missing or too many are left out, or refused with the reason.
struct DepthFusionInputTests {
  @Test func `depths that are no depths are ignored`() throws {
    var capture = try DepthCapture()
    let wall = DepthCapture.rays.map { _ in Float(1) }
    try capture.add(wall, pose: .identity)
    let bad: [Float] = [.nan, .infinity, -.infinity, -1, 0, 1e30, 65.535, 1e-30]
    var damaged = wall
    for index in damaged.indices where index % 7 == 0 { damaged[index] = bad[index / 7 % 8] }
    try capture.add(damaged, pose: .identity)
    let mesh = try DepthFusionTests.fused(capture, voxel: 0.03).mesh
    #expect(mesh.faceCount > 500)
    #expect(mesh.positions.allSatisfy { abs($0.z + 1) < 0.001 })
  }

  @Test func `overflown, missing and saturated depths of 16 bits are ignored`() throws {
    var capture = try DepthCapture()
    let size = DepthCapture.size
    for bad in [[UInt16(1000)], [0, 65_535, 50_000, 1]] {
      try capture.add(DepthCapture.rays.map { _ in 1 }, pose: .identity)
      let millimeters = (0..<size.x * size.y).map { pixel in
        pixel % 5 == 0 ? bad[pixel / 5 % bad.count] : 1000
      }
      capture.frames[capture.frames.count - 1].depth = Capture.DepthSource(
        path: try capture.folder.write(
          "depth_\(capture.frames.count).png",
          PNG.encodeGray16(millimeters, width: size.x, height: size.y)),
        encoding: .png16(metersPerUnit: 0.001))
    }
    // Nor do they count where depths may be that great.
    #expect(try capture.frames[1].depth.load().meters.max() == 50)
    let result = try DepthFusionTests.fused(capture, voxel: 0.03)
    #expect(result.faults.isEmpty && result.mesh.faceCount > 500)
    #expect(result.mesh.positions.allSatisfy { abs($0.z + 1) < 0.001 })
  }

  @Test(arguments: [1, 3]) func `where depths contradict each other, most of them win`(
    others: Int
  ) throws {
    var capture = try DepthCapture()
    try capture.add(DepthCapture.rays.map { _ in 1 }, pose: .identity)
    for _ in 0..<others { try capture.add(DepthCapture.rays.map { _ in 1.4 }, pose: .identity) }
    let result = try DepthFusionTests.fused(capture, voxel: 0.03)
    let mesh = result.mesh
    #expect(Edges(mesh).allSatisfy { $0.valence <= 2 })
    #expect(result.contradictions.map(\.frame) == (others > 1 ? [capture.frames[0].name] : []))
    // One against one, each may be right: both stay, the nearer one as a sheet with two sides.
    let near = mesh.positions.filter { abs($0.z + 1.4) > 0.001 }
    #expect(near.count < mesh.vertexCount && near.isEmpty == (others > 1))
    #expect(near.allSatisfy { abs($0.z + 1) < 0.12 })
  }

  @Test func `a frame that sees through a wall is named`() throws {
    var capture = try DepthCapture()
    for _ in 0..<3 { try capture.add(DepthCapture.rays.map { _ in 1 }, pose: .identity) }
    try capture.add(DepthCapture.rays.map { _ in 1.6 }, pose: .identity)
    let result = try DepthFusionTests.fused(capture, voxel: 0.03)
    #expect(result.contradictions.map(\.frame) == [capture.frames[3].name])
    #expect(result.contradictions.allSatisfy { $0.share > 0.9 })
  }

  @Test func `three thousand frames, most of them empty or constant`() throws {
    var capture = try DepthCapture()
    try capture.add(DepthCapture.rays.map { _ in 1 }, pose: .identity)
    let (small, count) = (SIMD2(4, 3), 3000)
    let depths: [Float] = [0, 65.535, 1]
    let paths = try depths.map { depth in
      let bytes = (0..<small.x * small.y).flatMap { _ in
        withUnsafeBytes(of: depth.bitPattern.littleEndian) { Array($0) }
      }
      return try capture.folder.write("constant_\(depth).bin", bytes)
    }
    let wall = capture.frames[0]
    capture.frames += (1..<count).map { index in
      var frame = wall
      frame.depth = Capture.DepthSource(
        path: paths[index % 300 == 0 ? 2 : index % 2],
        encoding: .float32(width: small.x, height: small.y))
      return frame
    }
    var steps = 0
    let result = try DepthFusion(capture.frames, .arkit, DepthFusionTests.settings(voxel: 0.05))
      .fused { _ in
        steps += 1
      }
    #expect(result.frameCount == count && result.faults.isEmpty)
    #expect(result.mesh.positions.allSatisfy { abs($0.z + 1) < 0.001 })
    // Fusion can be cancelled at each frame.
    #expect(steps > count)
  }

  @Test func `voxels are wider where they would be too many, unless a width is asked for`() throws {
    var capture = try DepthCapture()
    try capture.add([Float](repeating: 1, count: 64 * 48), pose: .identity)
    let usual = try DepthFusionTests.fused(capture, voxel: nil)
    let wide = try DepthFusionTests.fused(capture, voxel: nil) { $0.mostBlocks = 20 }
    #expect(usual.finerVoxel == nil && wide.finerVoxel == usual.voxel)
    #expect(wide.voxel > 1.3 * usual.voxel && wide.mesh.faceCount < usual.mesh.faceCount)
    #expect(throws: DepthFusion.Failure.self) {
      try DepthFusionTests.fused(capture, voxel: usual.voxel) { $0.mostBlocks = 20 }
    }
  }

  @Test func `without any depth in range there is a reason`() throws {
    var capture = try DepthCapture()
    try capture.add([Float](repeating: 0, count: 64 * 48), pose: .identity)
    try capture.add([Float](repeating: 9, count: 64 * 48), pose: .identity)
    #expect {
      try DepthFusionTests.fused(capture, voxel: 0.03)
    } throws: { error in
      guard case .noDepth(let reason)? = error as? DepthFusion.Failure else { return false }
      return reason.contains("between 0.1 and 5.0 m")
    }
  }

  @Test func `a truncated depth map is left out and named`() throws {
    var capture = try DepthCapture()
    let wall = DepthCapture.rays.map { _ in Float(1) }
    try capture.add(wall, pose: .identity)
    try capture.add(wall, pose: .identity)
    try capture.folder.write("depth_1.bin", [1, 2, 3])
    let result = try DepthFusionTests.fused(capture, voxel: 0.03)
    #expect(result.faults.map(\.frame) == ["frame_1"])
    #expect(result.mesh.faceCount > 500)
  }

  @Test func `a camera on the moon is left out and named`() throws {
    var capture = try DepthCapture()
    let wall = DepthCapture.rays.map { _ in Float(1) }
    try capture.add(wall, pose: .identity)
    var far = Transform.identity
    far.translation.x = 3.8e8
    try capture.add(wall, pose: far)
    let result = try DepthFusionTests.fused(capture, voxel: 0.03)
    #expect(result.faults.map(\.frame) == ["frame_1"])
    #expect(result.faults[0].reason.contains("a million blocks of voxels away"))
    #expect(result.mesh.faceCount > 500)
    // With all of them there, it is the unit.
    capture.frames.removeFirst()
    #expect {
      try DepthFusionTests.fused(capture, voxel: 0.03)
    } throws: { error in
      if case .tooFar(frame: "frame_1")? = error as? DepthFusion.Failure { true } else { false }
    }
  }

  @Test func `no surface is an error`() throws {
    var capture = try DepthCapture()
    try capture.add(DepthCapture.rays.map { _ in Float(1) }, pose: .identity)
    for (voxel, weight) in [(0.03, 1000), (10, 0.05)] {
      #expect {
        try DepthFusionTests.fused(capture, voxel: voxel) { $0.minimumWeight = weight }
      } throws: { error in
        if case .noSurface? = error as? DepthFusion.Failure { true } else { false }
      }
    }
  }

  @Test func `depth maps are decoded in batches that fit into memory`() {
    let sizes = (0..<90).map { index in
      index % 30 == 7 ? SIMD2(9200, 6900) : index % 3 == 0 ? SIMD2(1920, 1440) : SIMD2(256, 192)
    }
    let batches = DepthMaps.batches(sizes)
    #expect(Array(batches.joined()) == Array(sizes.indices))
    for batch in batches {
      let pixels = batch.reduce(0) { $0 + sizes[$1].x * sizes[$1].y }
      #expect(batch.count == 1 || batch.count <= 16 && pixels <= 8_000_000)
    }
    #expect(DepthMaps.batches([SIMD2](repeating: SIMD2(256, 192), count: 40)).count == 3)
    // A file that was replaced since it was checked may claim anything.
    let most = SIMD2(repeating: Int(UInt32.max))
    #expect(DepthMaps.batches([most, most, .zero, .zero]) == [0..<1, 1..<2, 2..<4])
  }
}
