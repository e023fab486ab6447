import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Formats

/// Elevations with what a textured scan shows of the walls.
struct WallPhotographsTests {
  /// The room of the plans, and the inner face of its first wall with a texture of four colours.
  ///
  /// - Parameter unit: Of the scene, in metres; the building's placement has it, too.
  private func scene(unit: Double = 1) throws -> Scene {
    var scene = PlanFixtures.scene(PlanFixtures.room)
    for index in 0..<4 { scene.buildings[0].storeys[0].walls[index].name = "wall-\(index + 1)" }
    scene.coordinateSystem.metersPerUnit = unit
    scene.buildings[0].placement = Transform(scale: SIMD3(repeating: 1 / unit))
    let scale = Float(1 / unit)
    let (left, right) = (Float(0.15), Float(4.15))
    var mesh = Mesh(
      positions: [
        Vector3(left, 0.15, 0), Vector3(right, 0.15, 0), Vector3(right, 0.15, 2.5),
        Vector3(left, 0.15, 2.5),
      ].map { Vector3($0.simd * scale) },
      // Seen from +y.
      indices: [0, 2, 1, 0, 3, 2])
    let corners = [Vector2(0, 0), Vector2(1, 0), Vector2(1, 1), Vector2(0, 1)]
    mesh.textureCoordinates = mesh.indices.map { corners[Int($0)] }
    mesh.faceMaterials = [0, 0]
    // Rows from the top: red and green above, blue and grey below; red and blue where x is small.
    let image = Image(
      width: 64, height: 64,
      pixels: (0..<64 * 64).flatMap { pixel -> [UInt8] in
        switch (pixel % 64 < 32, pixel / 64 < 32) {
        case (true, true): [220, 20, 20]
        case (false, true): [20, 200, 20]
        case (true, false): [20, 20, 220]
        case (false, false): [128, 128, 128]
        }
      })
    scene.meshes = [mesh]
    scene.materials = [Material(baseColorTexture: 0)]
    scene.textures = [Texture(fileName: "a.png", encoding: .png, bytes: try PNG.encode(image))]
    return scene
  }

  private func pictures(_ scene: Scene) throws -> [DrawingPicture] {
    var options = DrawingOptions()
    options.elevations = true
    let sheets = try DrawingSet(of: scene, options, in: WritingContext(), format: "test").sheets
    return sheets.flatMap(\.drawing.elements).compactMap { element in
      if case .picture(let picture) = element.shape { picture } else { nil }
    }
  }

  @Test(arguments: [1, 0.01])
  func `a wall that is seen has its texture, as from the room`(unit: Double) throws {
    let found = try pictures(try scene(unit: unit))
    // Only one of the walls has faces.
    try #require(found.count == 1)
    let size = found[0].high - found[0].low
    #expect(abs(size.x - 4.3) < 1e-9 && abs(size.y - 2.5) < 1e-9)
    let image = try JPEG.decode(found[0].bytes, path: "wall")
    #expect(abs(Double(image.width) / Double(image.height) - 4.3 / 2.5) < 0.01)
    func color(_ x: Double, _ y: Double) -> [Int] {
      let start =
        3
        * (Int(y * Double(image.height)) * image.width + Int(x * Double(image.width)))
      return image.pixels[start..<start + 3].map { Int($0) }
    }
    // Who looks at the wall from the room has small x on the right.
    for (place, expected) in [
      ((0.75, 0.25), [220, 20, 20]), ((0.25, 0.25), [20, 200, 20]), ((0.75, 0.75), [20, 20, 220]),
      ((0.25, 0.75), [128, 128, 128]), ((0.01, 0.5), [255, 255, 255]),
    ] {
      let seen = color(place.0, place.1)
      #expect(zip(seen, expected).allSatisfy { abs($0 - $1) < 12 }, "\(place): \(seen)")
    }
  }

  @Test func `without a texture, and in plans, there are no pictures`() throws {
    var plain = try scene()
    plain.materials[0].baseColorTexture = nil
    #expect(try pictures(plain).isEmpty)
    let sheets = try DrawingSet(
      of: try scene(), DrawingOptions(), in: WritingContext(), format: "test"
    ).sheets
    #expect(sheets.count == 1)
  }

  @Test func `SVG and PDF have the picture in them, and DXF has none`() throws {
    let folder = try TemporaryFolder()
    let scene = try scene()
    func write(_ format: any WritableFormat.Type, _ name: String) throws -> [UInt8] {
      let output = OutputSet(folder: folder.path, mainFileName: name)
      try format.write(
        scene, to: output, in: WritingContext(options: ["elevations": true, "scale": "1:50"]))
      return try FileSystem.contents(of: output.mainPath)
    }
    let svg = String(decoding: try write(SVGFormat.self, "a.svg"), as: UTF8.self)
    let place = try #require(
      svg.firstMatch(of: /<image x="[0-9.]+" y="[0-9.]+" width="86" height="50"/), "\(svg.count)")
    #expect(svg[place.range.upperBound...].contains("data:image/jpeg;base64,/9j/"))
    // Lines are drawn over it.
    let lines = try #require(svg.range(of: "class=\"A-ELEV\""))
    #expect(place.range.upperBound < lines.lowerBound)
    #expect(try write(SVGFormat.self, "b.svg") == Array(svg.utf8))
    let dxf = String(decoding: try write(DXF.self, "a.dxf"), as: UTF8.self)
    #expect(!dxf.contains("IMAGE") && dxf.contains("A-ELEV"))
    if PDFDocument.fault == nil {
      let pdf = try write(PDFFormat.self, "a.pdf")
      #expect(String(decoding: pdf, as: Unicode.ASCII.self).contains("/DCTDecode"))
    }
  }
}
