import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Rendering

/// Pictures along parallel lines, against arithmetic.
struct OrthographicTests {
  /// Level rectangles at heights, from corners and sizes across x and z.
  private func floors(_ rectangles: [(SIMD3<Float>, SIMD2<Float>)], unit: Double = 1) -> Scene {
    var mesh = Mesh(positions: [])
    for (corner, size) in rectangles {
      let first = UInt32(mesh.positions.count)
      for (x, z) in [(Float(0), Float(0)), (0, 1), (1, 1), (1, 0)] {
        mesh.positions.append(Vector3(corner + SIMD3(x * size.x, 0, z * size.y)))
      }
      mesh.indices += [0, 1, 2, 0, 2, 3].map { first + $0 }
    }
    var scene = Scene(meshes: [mesh])
    scene.coordinateSystem.metersPerUnit = unit
    return scene
  }

  /// The pixels that are covered in a row, with shares of those at borders.
  private func covered(_ picture: RenderedPicture, row: Int) -> Double {
    let width = picture.image.width
    return picture.coverage[row * width..<(row + 1) * width].reduce(0) { $0 + Double($1) } / 255
  }

  private func layout(_ renderer: SceneRenderer, _ denominator: Double, _ dots: Int, unit: Double)
    -> OrthographicLayout
  {
    OrthographicLayout(
      of: [renderer.extent(from: .top)], denominator: denominator, scale: "", dotsPerInch: dots,
      metersPerUnit: unit)
  }

  @Test(arguments: [1, 0.001])
  func `a length has its pixels at the scale, at any height`(unit: Double) throws {
    let meters = Float(1 / unit)
    let scene = floors(
      [
        (SIMD3(0, 0, 0), SIMD2(4, 1) * meters),
        (SIMD3(0, 2 * meters, 2 * meters), SIMD2(4, 1) * meters),
      ], unit: unit)
    let renderer = try SceneRenderer(scene)
    let layout = layout(renderer, 50, 200, unit: unit)
    let picture = try renderer.picture(from: .top, layout)
    let expected = 4.0 / 50 / 0.0254 * 200
    // Half a metre and two and a half from the upper border of what is 3 m high.
    let margin = 5 / 25.4 * 200
    for share in [0.5, 2.5] {
      let row = Int(margin + share / 50 / 0.0254 * 200)
      #expect(abs(covered(picture, row: row) - expected) < 1)
    }
    let between = Int(margin + 1.5 / 50 / 0.0254 * 200)
    #expect(covered(picture, row: between) == 0)
    // The paper of what is seen, with margins and the strip of the bar.
    #expect(abs(Double(layout.size.x) - expected - 2 * margin) < 1.5)
  }

  @Test func `the bar has a round length, and is as long as it says`() throws {
    for (denominator, dots) in [(50.0, 200), (1, 72), (333, 150), (20_000, 600)] {
      let renderer = try SceneRenderer(floors([(.zero, SIMD2(Float(denominator) / 5, 1))]))
      let layout = layout(renderer, denominator, dots, unit: 1)
      let bar = layout.bar
      var round = bar.meters
      while round < 0.999 { round *= 10 }
      while round > 9.999 { round /= 10 }
      #expect([1.0, 2, 5].contains { abs($0 - round) < 1e-9 }, "\(bar.meters)")
      #expect(
        abs(bar.pixels / Double(dots) * 0.0254 * denominator - bar.meters) < 1e-9 * bar.meters)
      #expect(bar.pixels <= Double(layout.size.x) / 4 && bar.pixels > Double(layout.size.x) / 11)
      let picture = try renderer.picture(from: .top, layout, background: .color(.white))
      // The bar's line is dark: its first part is filled.
      let row = Int(Double(layout.size.y) - 1.6 * max(7, 2.5 / 25.4 * Double(dots)))
      let dark = (0..<picture.image.width).filter { picture.image.color($0, row).x < 120 }
      #expect(!dark.isEmpty && dark.count < picture.image.width / 4)
    }
  }

  @Test func `a picture of any size shows all, and as much as fits`() throws {
    let renderer = try SceneRenderer(floors([(.zero, SIMD2(3, 2))]))
    for size in [SIMD2(400, 300), SIMD2(160, 500), SIMD2(700, 120)] {
      let layout = OrthographicLayout(
        of: [renderer.extent(from: .top)], size: size, metersPerUnit: 1)
      let picture = try renderer.picture(from: .top, layout, background: .transparent)
      #expect(picture.image.size == size)
      // Above the bar, whose letters are 9 pixels high.
      let widest = (0..<size.y - 45).map { covered(picture, row: $0) }.max() ?? 0
      #expect(abs(widest - 3 / layout.unitsPerPixel) < 1)
    }
  }

  @Test func `things behind the end of a view are not seen`() throws {
    let renderer = try SceneRenderer(
      floors([(.zero, SIMD2(1, 1)), (SIMD3(0, 1, 0), SIMD2(0.5, 1))]))
    let axes = Viewpoint.top.axes(in: .arkit)
    func share(reach: Double) throws -> Double {
      let view = ParallelView(
        axes: axes, center: SIMD3(0.5, 1.1, 0.5), pixelCounts: SIMD2(10, 10), unitsPerPixel: 0.1,
        reach: reach)
      let picture = try renderer.picture(of: view)
      return picture.coverage.reduce(0) { $0 + Double($1) } / 255 / 100
    }
    #expect(try share(reach: 0.5) == 0.5)
    #expect(try share(reach: 2) == 1)
  }

  @Test func `files tell the resolution of a print`() throws {
    let image = testCard(20, 10)
    let png = try PictureEncoding.png.bytes(of: RenderedPicture(image), dotsPerInch: 200)
    let mark = Array("pHYs".utf8)
    let start = try #require(
      png.indices.dropLast(4).first { png[$0..<$0 + 4].elementsEqual(mark) })
    let numbers = png[(start + 4)..<(start + 12)].map { Int($0) }
    #expect(numbers == [0, 0, 0x1E, 0xC2, 0, 0, 0x1E, 0xC2] && png[start + 12] == 1)
    let jpeg = try PictureEncoding.jpeg.bytes(of: RenderedPicture(image), dotsPerInch: 300)
    #expect(jpeg[13..<18].map { Int($0) } == [1, 1, 44, 1, 44])
    #expect(try PictureEncoding.png.bytes(of: RenderedPicture(image)).count == png.count - 21)
  }
}
