import MeshTestSupport
import MeshpipeScene
import Testing

struct FaceColorSplitTests {
  private let red = Color(red: 255, green: 0, blue: 0)
  private let blue = Color(red: 0, green: 0, blue: 255)

  @Test func `vertices are split only between faces of different colours`() throws {
    var mesh = MeshFixtures.grid(columns: 4, rows: 3)
    mesh.confidences = mesh.positions.indices.map { Float($0) }
    mesh.faceColors = (0..<mesh.faceCount).map { face in
      let (a, b, c) = mesh.vertices(ofFace: face)
      let x = [a, b, c].reduce(0) { $0 + mesh.positions[Int($1)].x } / 3
      return x < 2 ? red : blue
    }
    let split = mesh.splitAtFaceColors()
    try split.validate(materialCount: 0)
    // The line in the middle has four vertices.
    #expect(split.vertexCount == mesh.vertexCount + 4)
    #expect(split.faceColors == nil)
    for corner in mesh.indices.indices {
      let (old, new) = (Int(mesh.indices[corner]), Int(split.indices[corner]))
      #expect(split.positions[new] == mesh.positions[old])
      #expect(split.confidences?[new] == Float(old))
      #expect(split.colors?[new] == mesh.faceColors?[corner / 3])
    }
    #expect(mesh.hasColorRegions)
    #expect(Array(split.positions.prefix(mesh.vertexCount)) == mesh.positions)
  }

  @Test func `one colour splits nothing, and a colour for each face is no region`() {
    var mesh = MeshFixtures.grid(columns: 8, rows: 8)
    mesh.faceColors = .init(repeating: red, count: mesh.faceCount)
    #expect(mesh.splitAtFaceColors().vertexCount == mesh.vertexCount)
    mesh.faceColors = (0..<mesh.faceCount).map { Color(red: UInt8($0), green: 0, blue: 0) }
    #expect(!mesh.hasColorRegions)
    #expect(mesh.splitAtFaceColors().vertexCount == mesh.indices.count)
  }

  @Test func `vertices have the mean of the faces around, and faces that of their vertices`() {
    var mesh = MeshFixtures.grid(columns: 1, rows: 1)
    mesh.faceColors = [red, blue]
    let shared = Set(mesh.indices.prefix(3)).intersection(mesh.indices.suffix(3))
    for vertex in 0..<4 {
      let color = mesh.vertexColors?[vertex]
      if shared.contains(UInt32(vertex)) {
        #expect(color?.red == 128 && color?.blue == 128)
      } else {
        #expect(color == red || color == blue)
      }
    }
    mesh.paint(.init(repeating: blue, count: 4))
    #expect(mesh.meanFaceColors == [blue, blue])
  }

  @Test func `a fan of very many colours takes time in proportion to its faces`() {
    expectProportionalTime(upTo: 20_000) { count in
      var mesh = Mesh(positions: (0...count + 1).map { Vector3(Float($0), 0, 0) })
      mesh.indices = (0..<count).flatMap { [0, UInt32($0 + 1), UInt32($0 + 2)] }
      mesh.faceColors = (0..<count).map {
        Color(red: UInt8($0 & 255), green: UInt8($0 >> 8 & 255), blue: 0)
      }
      #expect(mesh.splitAtFaceColors().faceCount == count)
    }
  }

  @Test func `16 bits count as long as 8 bits say the same`() {
    var cloud = PointCloud(positions: [.zero, .zero])
    let wide = WideColor(red: 1000, green: 2, blue: 65535)
    cloud.wideColors = [wide, wide]
    cloud.colors = [wide.narrow, Color(red: 9, green: 9, blue: 9)]
    #expect(cloud.wideColor(ofPoint: 0) == wide)
    #expect(cloud.wideColor(ofPoint: 1) == WideColor(red: 2313, green: 2313, blue: 2313))
    cloud.colors = nil
    #expect(cloud.wideColor(ofPoint: 0) == .white)
  }
}
