import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Gaussian splats in PLY, and in formats that have no place for them.
struct PLYSplatTests {
  /// The properties in the order of the reference implementation.
  private static let names =
    ["x", "y", "z", "nx", "ny", "nz"] + (0..<3).map { "f_dc_\($0)" }
    + (0..<24).map { "f_rest_\($0)" } + ["opacity"] + (0..<3).map { "scale_\($0)" }
    + (0..<4).map { "rot_\($0)" }

  /// A file with numbers of its own for each property of three splats.
  private var file: [UInt8] {
    let header =
      ["ply", "format binary_little_endian 1.0", "element vertex 3"]
      + Self.names.map { "property float \($0)" } + ["end_header", ""]
    var bytes = Array(header.joined(separator: "\n").utf8)
    for splat in 0..<3 {
      for (place, name) in Self.names.enumerated() {
        let number = name.hasPrefix("n") ? 0 : Float(splat) + Float(place) / 64
        withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes += $0 }
      }
    }
    return bytes
  }

  private func write(
    _ scene: Scene, _ format: any WritableFormat.Type, _ context: WritingContext = WritingContext()
  ) throws -> (path: String, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.\(format.extensions[0])")
    try FormatWriter(format).write(scene, to: output, in: context)
    return (output.mainPath, folder)
  }

  @Test func `a file is read as splats, and written with the same properties and bytes`() throws {
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("a.ply", file))
    #expect(reading.warnings == [])
    let cloud = reading.scene.pointClouds[0]
    #expect(cloud.splatForm == SplatForm(degree: 2, scaleCount: 3))
    let written = try write(reading.scene, PLY.self)
    let bytes = Array(try Data(contentsOf: URL(filePath: written.path)))
    let end = Array("end_header\n".utf8)
    let header = String(decoding: bytes, as: UTF8.self).components(separatedBy: "end_header")[0]
    let properties = header.split(separator: "\n").filter { $0.hasPrefix("property") }
    #expect(properties == Self.names.map { "property float \($0)" })
    let body = 3 * 4 * Self.names.count
    #expect(
      bytes.suffix(body) == file.suffix(body) && bytes.dropLast(body).suffix(end.count) == end[...])
  }

  @Test func `compressed splats and those of other programs name the way to PLY`() throws {
    var text = "ply\nformat ascii 1.0\nelement chunk 1\nproperty float min_x\nelement vertex 1\n"
    text += "property uint packed_position\nproperty uint packed_color\nend_header\n1\n2 3\n"
    let fault = try readingFault("a.ply", text)
    #expect(fault.contains("compressed Gaussian splats") && fault.contains("splat-transform"))
    for ending in ["splat", "ksplat", "spz", "sog"] {
      let known = foreignFormats.first { $0.extensions.contains(ending) }
      #expect(known?.wayOut.contains("PLY") == true)
    }
  }

  @Test(arguments: ["extensionsUsed", "extensionsRequired"])
  func `splats in glTF are said to be plain points`(list: String) throws {
    let folder = try TemporaryFolder()
    let numbers = (0..<3).flatMap { _ in [0, 0, 0x80, 0x3F] as [UInt8] }
    let json = """
      {"asset":{"version":"2.0"},"\(list)":["KHR_gaussian_splatting"],"scene":0,"scenes":[{"nodes":[0]}],\
      "nodes":[{"mesh":0}],"meshes":[{"primitives":[{"mode":0,"attributes":{"POSITION":0}}]}],\
      "accessors":[{"bufferView":0,"componentType":5126,"count":1,"type":"VEC3","min":[1,1,1],"max":[1,1,1]}],\
      "bufferViews":[{"buffer":0,"byteLength":12}],"buffers":[{"byteLength":12,"uri":"a.bin"}]}
      """
    try folder.write("a.bin", numbers)
    let reading = try Reading(folder.write("a.gltf", json))
    #expect(reading.scene.pointCount == 1)
    #expect(reading.warnings.count { $0.contains("without size, direction and opacity") } == 1)
  }

  @Test func `splats of several clouds and degrees are one file`() throws {
    let (first, second) = (
      SplatFixtures.cloud(4, degree: 0), SplatFixtures.cloud(5, degree: 3, seed: 2)
    )
    let written = try write(Scene(pointClouds: [first, second]), PLY.self)
    let cloud = try Reading(written.path).scene.pointClouds[0]
    #expect(cloud.splatForm == SplatForm(degree: 3, scaleCount: 3) && cloud.positions.count == 9)
    let rest = try #require(cloud.attributes["f_rest"]?.values.doubles)
    #expect(rest.prefix(4 * 45).allSatisfy { $0 == 0 })
    #expect(Array(rest.dropFirst(4 * 45)) == second.attributes["f_rest"]?.values.doubles)
    let mixed = Scene(pointClouds: [first, PointCloud(name: "scan", positions: [.zero])])
    #expect(throws: MixedSplats.self) { try write(mixed, PLY.self) }
  }

  private static let ofPoints = BuiltInFormats.native.filter {
    $0.keeps.contains(.points) && $0.keeps.isDisjoint(with: SceneFeature.ofCaptures)
  }

  @Test(arguments: ofPoints)
  func `a format keeps splats, or has coloured points and says so`(format: BuiltInFormats.BothWays)
    throws
  {
    let scene = Scene(pointClouds: [SplatFixtures.cloud(6, degree: 1)])
    let context = WritingContext()
    let written = try write(scene, format, context)
    let found = try Reading(written.path).scene
    #expect(found.pointCount == 6)
    if format.keeps.contains(.splats) {
      #expect(found.pointClouds[0].splatForm == SplatForm(degree: 1, scaleCount: 3))
      #expect(!context.stage.warnings.contains { $0.contains("splats") })
      return
    }
    #expect(found.features.isDisjoint(with: [.splats, .customAttributes, .normals]))
    let colors = try #require(scene.pointClouds[0].splatColors)
    #expect(found.pointClouds[0].colors == (format.keeps.contains(.colors) ? colors : nil))
    let told = context.stage.warnings.filter { $0.contains("Gaussian splats") }
    #expect(told.count == 1 && told[0].contains("without size, direction and opacity"))
    var expecting = WritingContext()
    expecting.expectedLosses = [.splats]
    _ = try write(scene, format, expecting)
    #expect(!expecting.stage.warnings.contains { $0.contains("splats") })
  }
}
