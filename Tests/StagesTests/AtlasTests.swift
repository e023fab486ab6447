import MeshPipeline
import MeshTestSupport
import Testing

@testable import Stages

/// Charts, packing and texels of ``AtlasBuilder``.
struct AtlasTests {
  static let options = AtlasOptions(pageSize: 256)

  static let meshes: [Mesh] = [
    MeshFixtures.grid(columns: 6, rows: 5), MeshFixtures.sphere(), MeshFixtures.torus(),
    MeshFixtures.moebiusStrip(), MeshFixtures.fin, MeshFixtures.bowTie, MeshFixtures.degenerate,
    MeshFixtures.soup(), MeshFixtures.openCone(),
  ]

  @Test(arguments: meshes) func `every texel belongs to one face at most`(_ mesh: Mesh) throws {
    let atlas = try AtlasBuilder.unwrapped(
      positions: mesh.positions, indices: mesh.indices, options: Self.options)
    for page in atlas.pages.indices {
      var counts = [Int](repeating: 0, count: atlas.pages[page].x * atlas.pages[page].y)
      for face in 0..<mesh.faceCount where Int(atlas.facePages[face]) == page {
        atlas.forEachSpan(ofFace: face) { span in
          for column in span.columns { counts[span.row * atlas.pages[page].x + column] += 1 }
        }
      }
      #expect(counts.allSatisfy { $0 <= 1 })
      let share = Double(counts.reduce(0, +)) / Double(counts.count)
      #expect(abs(share - atlas.usedShare) < 0.05)
    }
  }

  @Test(arguments: meshes) func `every face has a place inside its page`(_ mesh: Mesh) throws {
    let atlas = try AtlasBuilder.unwrapped(
      positions: mesh.positions, indices: mesh.indices, options: Self.options)
    for face in 0..<mesh.faceCount {
      let page = try #require(
        atlas.pages.indices.contains(Int(atlas.facePages[face])) ? atlas.facePages[face] : nil)
      for corner in 3 * face..<3 * face + 3 {
        let place = atlas.cornerTexels[corner]
        #expect(place.x >= 0 && Int(place.x) <= 256 * atlas.pages[Int(page)].x)
        #expect(place.y >= 0 && Int(place.y) <= 256 * atlas.pages[Int(page)].y)
      }
    }
  }

  @Test func `padding leaves no texel black and keeps the covered ones`() throws {
    let mesh = MeshFixtures.sphere()
    let atlas = try AtlasBuilder.unwrapped(
      positions: mesh.positions, indices: mesh.indices, options: Self.options)
    let covered = atlas.coverage(ofPage: 0)
    var pixels = [UInt8](repeating: 0, count: 3 * 256 * 256)
    for y in 0..<256 {
      for x in 0..<256 where covered[x, y] {
        for channel in 0..<3 { pixels[3 * (256 * y + x) + channel] = 200 }
      }
    }
    PagePadding.fill(&pixels, covered: covered)
    #expect(pixels.allSatisfy { $0 == 200 })
  }
}
