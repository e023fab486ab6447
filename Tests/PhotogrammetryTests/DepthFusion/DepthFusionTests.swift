import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry

/// Surfaces of known shape come back from depth maps of them.
struct DepthFusionTests {
  /// As for the depth maps of a phone.
  static func settings(voxel: Double?, removesBias: Bool? = nil) -> DepthFusion.Settings {
    DepthFusion.Settings(
      voxel: voxel, maximumDepth: 5, minimumConfidence: 1, minimumWeight: 0.05, minimumFrames: 1,
      noise: 0.004, removesBias: removesBias)
  }

  static func fused(
    _ capture: DepthCapture, voxel: Double?, system: CoordinateSystem = .arkit,
    _ change: (inout DepthFusion.Settings) -> Void = { _ in }
  ) throws -> DepthFusion.Result {
    var settings = settings(voxel: voxel)
    change(&settings)
    return try DepthFusion(capture.frames, system, settings).fused { _ in }
  }

  static func seen(
    _ shape: DepthCapture.Shape, from eyes: [SIMD3<Double>],
    lookingAt target: SIMD3<Double> = .zero
  ) throws -> DepthCapture {
    var capture = try DepthCapture()
    for eye in eyes { try capture.add(shape, from: eye, lookingAt: target) }
    return capture
  }

  @Test func `a plane comes back within a hundredth of a voxel`() throws {
    // Floor: everything below y = 0.
    let floor = DepthCapture.box(SIMD3(-9, -1, -9), SIMD3(9, 0, 9))
    let capture = try Self.seen(
      floor, from: [SIMD3(0, 1, 0.4), SIMD3(0.3, 1.2, -0.5), SIMD3(-0.4, 0.9, 0.2)])
    let mesh = try Self.fused(capture, voxel: 0.02).mesh
    #expect(mesh.faceCount > 1000)
    #expect(mesh.positions.allSatisfy { abs($0.y) < 0.0002 })
    // Seen from above, faces look up.
    for face in 0..<mesh.faceCount { #expect(mesh.areaVector(ofFace: face).y > 0) }
  }

  @Test func `a sphere comes back closed and within a tenth of a voxel`() throws {
    let center = SIMD3(0.3, -0.2, 0.1)
    let capture = try Self.seen(
      DepthCapture.sphere(center, radius: 0.3),
      from: DepthCapture.eyes(20, around: center, radius: 1), lookingAt: center)
    let mesh = try Self.fused(capture, voxel: 0.02).mesh
    let summary = SurfaceSummary(mesh)
    #expect(summary.isClosed && summary.nonManifoldEdges == 0)
    #expect(summary.eulerCharacteristic == 2)
    #expect(summary.vertices == mesh.vertexCount)
    #expect(mesh.positions.allSatisfy { abs(($0.double - center).length - 0.3) < 0.002 })
    #expect(abs(summary.volume / (4 / 3 * .pi * 0.027) - 1) < 0.01)
    #expect(mesh.confidences?.allSatisfy { $0 > 0 && $0 <= 2 } == true)
  }

  @Test func `a ball of a few pixels is not made thicker by smoothing`() throws {
    // Seven pixels and eight voxels to its radius, which is twelve times the noise that is smoothed.
    let capture = try Self.seen(
      DepthCapture.sphere(.zero, radius: 0.05),
      from: DepthCapture.eyes(20, around: .zero, radius: 0.35))
    let mesh = try Self.fused(capture, voxel: 0.006).mesh
    #expect(SurfaceSummary(mesh).isClosed)
    let errors = mesh.positions.map { $0.double.length - 0.05 }
    #expect(abs(errors.reduce(0, +) / Double(errors.count)) < 0.0003)
    #expect(errors.allSatisfy { abs($0) < 0.0012 })
  }

  @Test func `a box in a room has its size and keeps flat sides`() throws {
    let half = SIMD3(0.2, 0.15, 0.25)
    let shape = DepthCapture.nearest(of: [
      DepthCapture.box(-half, half), DepthCapture.room(SIMD3(repeating: 1.05)),
    ])
    let capture = try Self.seen(
      shape, from: DepthCapture.eyes(24, around: .zero, radius: 1))
    var mesh = try Self.fused(capture, voxel: 0.03).mesh
    let faces = (0..<mesh.faceCount).filter {
      mesh.positions[Int(mesh.indices[3 * $0])].simd.length < 0.6
    }
    mesh.indices = faces.flatMap { mesh.indices[3 * $0..<3 * $0 + 3] }
    let summary = SurfaceSummary(mesh)
    #expect(summary.isClosed && summary.nonManifoldEdges == 0)
    #expect(summary.eulerCharacteristic == 2)
    for vertex in Set(mesh.indices) {
      let place = mesh.positions[Int(vertex)].double
      let distance = place.replacing(with: -place, where: place .< 0) - half
      // Three pixels from the edges of the box: a plane is fitted over five.
      let isOnSide = [distance.x, distance.y, distance.z].count { $0 < -0.065 } == 2
      if isOnSide { #expect(abs(distance.max()) < 0.0045) }
      // Half a voxel: surfaces are continued to edges, which these maps see in pixels of 2 cm.
      #expect(abs(distance.max()) < 0.0155)
    }
  }

  @Test func `two sheets 3 cm apart stay two`() throws {
    let sheets = DepthCapture.nearest(of: [
      DepthCapture.box(SIMD3(-0.4, 0, -0.4), SIMD3(0.4, 0.001, 0.4)),
      DepthCapture.box(SIMD3(-0.4, 0.029, -0.4), SIMD3(0.4, 0.03, 0.4)),
    ])
    let capture = try Self.seen(
      sheets,
      from: [SIMD3(0, 0.9, 0.2), SIMD3(0.3, 0.8, 0), SIMD3(0, -0.9, 0.2), SIMD3(0.3, -0.8, 0)])
    let mesh = try Self.fused(capture, voxel: 0.01).mesh
    let inner = mesh.positions.filter { max(abs($0.x), abs($0.z)) < 0.3 }
    #expect(inner.count > 1000)
    for position in inner { #expect(min(abs(position.y), abs(position.y - 0.03)) < 0.001) }
    #expect(inner.contains { $0.y < 0.015 } && inner.contains { $0.y > 0.015 })
  }

  @Test func `a bar of three pixels keeps its width among coarse voxels`() throws {
    let half = SIMD3(0.008, 0.15, 0.008)
    let shape = DepthCapture.nearest(of: [
      DepthCapture.box(-half, half), DepthCapture.room(SIMD3(repeating: 0.6)),
    ])
    var capture = try Self.seen(shape, from: DepthCapture.eyes(30, around: .zero, radius: 0.25))
    for index in capture.frames.indices { capture.frames[index].depth.origin = .photographs }
    let result = try Self.fused(capture, voxel: 0.02) { $0.fineVoxel = 0.005 }
    #expect(result.fineVoxel == 0.005)
    let summary = SurfaceSummary(result.mesh)
    #expect(summary.nonManifoldEdges == 0)
    let bar = result.mesh.positions.filter { $0.simd.length < 0.1 }
    for height in stride(from: -0.08, to: 0.08, by: 0.01) {
      // Around it at each height: in all four quarters.
      let ring = bar.filter { abs(Double($0.y) - height) < 0.005 }
      #expect(Set(ring.map { [$0.x > $0.z, $0.x > -$0.z] }).count == 4)
    }
    let errors = bar.map { Double(max(abs($0.x), abs($0.z))) - half.x }
    #expect(errors.allSatisfy { abs($0) < 0.004 })
    // Without finer voxels it is not there, or as wide as these.
    let coarse = try Self.fused(capture, voxel: 0.02) { $0.fineVoxel = 0.02 }
    #expect(coarse.fineVoxel == nil)
    let rest = coarse.mesh.positions.filter { $0.simd.length < 0.1 }
    #expect(rest.isEmpty || rest.contains { Double(max(abs($0.x), abs($0.z))) - half.x > 0.004 })
    // The walls have as many faces as without.
    let walls = [result.mesh, coarse.mesh].map { $0.positions.count { $0.simd.length > 0.5 } }
    #expect(walls[0] == walls[1])
  }

  @Test func `what moved away leaves no ghost`() throws {
    let floor = DepthCapture.box(SIMD3(-9, -1, -9), SIMD3(9, 0, 9))
    let visitor = DepthCapture.nearest(of: [
      floor, DepthCapture.box(SIMD3(-0.1, 0, -0.1), SIMD3(0.1, 0.3, 0.1)),
    ])
    var capture = try DepthCapture()
    for (index, x) in [-0.5, -0.4, -0.2, 0, 0.1, 0.2, 0.3, 0.4, 0.5].enumerated() {
      try capture.add(
        index < 1 ? visitor : floor, from: SIMD3(x, 1.2, 0.5), lookingAt: .zero)
    }
    let mesh = try Self.fused(capture, voxel: 0.02).mesh
    #expect(!mesh.positions.contains { $0.y > 0.05 })
  }

  @Test(arguments: [1, 2]) func `what fewer frames show than must agree goes`(frames: Int) throws {
    let floor = DepthCapture.box(SIMD3(-9, -1, -9), SIMD3(9, 0, 9))
    var capture = try Self.seen(floor, from: [SIMD3(0, 1, 0.4), SIMD3(0.1, 1, 0.4)])
    try capture.add(floor, from: SIMD3(5, 1, 0.4), lookingAt: SIMD3(5, 0, 0))
    let mesh = try Self.fused(capture, voxel: 0.02) { $0.minimumFrames = frames }.mesh
    let (two, one) = (mesh.positions.count { $0.x < 2 }, mesh.positions.count { $0.x > 3 })
    #expect(two > 1000)
    #expect(frames == 1 ? one > 500 : one == 0)
  }

  @Test(arguments: [1, 2, 5]) func `any number of threads gives the same bytes`(threads: Int) throws
  {
    // Three look at the front of a ball, one at its back.
    let capture = try Self.seen(
      DepthCapture.sphere(.zero, radius: 0.3),
      from: [SIMD3(0, 0, 1), SIMD3(0.2, 0, 1), SIMD3(0, 0.2, 1), SIMD3(0, 0, -1)])
    func mesh(_ threads: Int, _ frames: Int) throws -> Mesh {
      try Parallel.withThreads(threads) {
        try Self.fused(capture, voxel: 0.03) { $0.minimumFrames = frames }.mesh
      }
    }
    for frames in 1...2 { #expect(try mesh(threads, frames) == mesh(3, frames)) }
  }

  @Test func `the voxel is a pixel's width on the surface by default`() throws {
    let wall = DepthCapture.box(SIMD3(-9, -9, -3), SIMD3(9, 9, -2))
    let capture = try Self.seen(wall, from: [.zero], lookingAt: SIMD3(0, 0, -1))
    let result = try Self.fused(capture, voxel: nil)
    #expect(abs(result.voxel - 2 / DepthCapture.focalLength) < 1e-6)
  }

  @Test func `pixels narrower than the noise make no narrower voxels`() throws {
    let wall = DepthCapture.box(SIMD3(-9, -9, -3), SIMD3(9, 9, -2))
    let capture = try Self.seen(wall, from: [.zero], lookingAt: SIMD3(0, 0, -1))
    // At 2 m, a depth of 5 cm at 1 m is off by 10 cm.
    let result = try Self.fused(capture, voxel: nil) { $0.noise = 0.05 }
    #expect(abs(result.voxel - 0.65 * 0.1) < 1e-6 && result.finerVoxel == nil)
  }

  @Test func `another unit and axes move the surface with the cameras`() throws {
    let sphere = DepthCapture.sphere(.zero, radius: 0.3)
    var capture = try Self.seen(sphere, from: DepthCapture.eyes(6, around: .zero, radius: 1))
    let meters = try Self.fused(capture, voxel: 0.03).mesh
    for index in capture.frames.indices { capture.frames[index].pose.translation *= 1000 }
    var system = CoordinateSystem.arkit
    system.metersPerUnit = 0.001
    let millimeters = try Self.fused(capture, voxel: 0.03, system: system).mesh
    #expect(millimeters.indices == meters.indices)
    for (one, other) in zip(meters.positions, millimeters.positions) {
      #expect((one.simd * 1000 - other.simd).length < 0.01)
    }
  }

  @Test func `waves within the sensor's noise are taken out of a wall`() throws {
    var capture = try DepthCapture()
    // 3 mm high and 25 cm long.
    let depths = DepthCapture.rays.map { ray in
      Float(1 + 0.003 * sin(25 * ray.x + 1) * cos(25 * ray.y))
    }
    try capture.add(depths, pose: .identity)
    let mesh = try Self.fused(capture, voxel: 0.02).mesh
    let inner = mesh.positions.filter { abs($0.x) < 0.4 && abs($0.y) < 0.3 }
    let error = inner.reduce(0) { $0 + abs($1.z + 1) } / Float(inner.count)
    #expect(inner.count > 500 && error < 0.0006)
    #expect(mesh.normals?.allSatisfy { abs($0.simd.length - 1) < 1e-3 } == true)
  }

  @Test(arguments: [1, 2]) func `few frames suffice`(count: Int) throws {
    let wall = DepthCapture.box(SIMD3(-9, -9, -3), SIMD3(9, 9, -2))
    let capture = try Self.seen(
      wall, from: Array(repeating: .zero, count: count), lookingAt: SIMD3(0, 0, -1))
    let mesh = try Self.fused(capture, voxel: 0.04).mesh
    #expect(mesh.faceCount > 500)
    #expect(mesh.positions.allSatisfy { abs($0.z + 2) < 0.002 })
  }
}
