import MeshPipeline
import MeshTestSupport
import Testing

@testable import SurfaceKernels

@Suite struct SurfaceBlocksTests {
  @Test func `each block has all faces of its vertices, once and in order`() {
    var mesh = MeshFixtures.sphere(segments: 64, rings: 32)
    // A face that names a vertex twice is nobody's.
    mesh.indices += [5, 5, 6]
    var surface = EdgeCollapse.Surface([mesh], separatesClasses: true)
    let order = surface.order
    let blocks = SurfaceBlocks(&surface, size: 128)
    #expect(blocks.count == (order.count + 127) / 128)
    #expect(blocks.faceCount == mesh.faceCount - 1)
    for block in 0..<blocks.count {
      let own = Set(order[blocks.vertices(of: block)])
      let expected = (0..<mesh.faceCount - 1).filter { face in
        surface.vertices[3 * face..<3 * face + 3].contains { own.contains($0) }
      }
      let found = (0..<blocks.faceCount(of: block)).map { Int(blocks.face($0, of: block)) }
      #expect(found == expected)
      #expect(blocks.faceCount(of: block) <= blocks.largestFaceCount)
      let ranks = blocks.cornerRanks(of: block, surface)
      #expect(
        ranks.map { order[Int($0)] } == expected.flatMap { surface.vertices[3 * $0..<3 * $0 + 3] })
    }
  }

  @Test func `a ranked set counts the smaller members`() {
    var random = SeededGenerator(seed: 3)
    let members = (0..<1000).filter { _ in Bool.random(using: &random) }
    let set = RankedSet(below: 1000) { add in
      for member in members.shuffled(using: &random) { add(UInt32(member)) }
    }
    #expect(members.map { set.rank(of: UInt32($0)) } == Array(members.indices))
  }

  @Test func `regions are one for each material and class of all meshes`() throws {
    var (one, other) = (
      MeshFixtures.grid(columns: 2, rows: 1), MeshFixtures.grid(columns: 1, rows: 1)
    )
    one.classes = FaceClasses(labels: [0, 1, 1, 0], names: ["wall", "floor"])
    other.classes = FaceClasses(labels: [0, 1], names: ["floor", "door"])
    other.faceMaterials = [0, 3]
    let regions = try #require(FaceRegions([one, other], separatesClasses: true))
    #expect((0..<6).map { regions[$0] } == [0, 1, 1, 0, 1, 3 << 16 | 2])
    let materials = try #require(FaceRegions([one, other], separatesClasses: false))
    #expect((0..<6).map { materials[$0] >> 16 } == [0, 0, 0, 0, 0, 3])
    #expect(Set((0..<6).map { materials[$0] & 0xFFFF }).count == 1)
    #expect(FaceRegions([one], separatesClasses: false) == nil)
  }

  @Test func `a class in one colour is one region in all meshes`() throws {
    let (red, blue) = (Color(red: 255, green: 0, blue: 0), Color(red: 0, green: 0, blue: 255))
    var meshes = [Mesh](repeating: MeshFixtures.grid(columns: 8, rows: 1), count: 3)
    meshes[0].faceColors = (0..<16).map { $0 < 8 ? red : blue }
    meshes[1].faceColors = (0..<16).map { $0 < 8 ? blue : red }
    meshes[2].faceColors = meshes[0].faceColors
    meshes[2].classes = FaceClasses(labels: .init(repeating: 0, count: 16), names: ["wall"])
    let regions = try #require(FaceRegions(meshes, separatesClasses: true))
    let numbers = (0..<48).map { regions[$0] }
    let (first, second, third, fourth) = (numbers[0], numbers[8], numbers[32], numbers[40])
    #expect(Set([first, second, third, fourth]).count == 4)
    for (start, number) in [
      (0, first), (8, second), (16, second), (24, first), (32, third), (40, fourth),
    ] {
      #expect(numbers[start..<start + 8].allSatisfy { $0 == number })
    }
  }
}
