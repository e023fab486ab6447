import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Formats

/// Bare Draco files, with DracoPy as the encoder.
struct DracoReadingTests {
  private func reading(_ fixture: DracoFixture) throws -> Reading {
    let folder = try TemporaryFolder()
    return try Reading(folder.write("a.drc", fixture.bytes))
  }

  private func distance(_ a: Vector3, _ b: Vector3) -> Float { (a.simd - b.simd).length }

  @Test(arguments: [DracoFixture.tree, .row, .rowWithMore])
  func `points have their colours`(fixture: DracoFixture) throws {
    let reading = try reading(fixture)
    #expect(reading.scene.meshes.isEmpty && reading.scene.pointClouds.count == 1)
    let cloud = try #require(reading.scene.pointClouds.first)
    #expect(cloud.positions.count == 12)
    let colors = try #require(cloud.colors)
    for number in 0..<12 {
      let place = Vector3(
        [0, 0.5, 2][number % 3], Float(number / 3 % 2), Float(number / 6))
      let point = try #require(cloud.positions.firstIndex { distance($0, place) < 1e-6 })
      let byte = UInt8(10 * number)
      let expected =
        switch fixture {
        case .tree: Color(red: byte, green: 255 - UInt8(number), blue: UInt8(number))
        case .row: Color(red: byte, green: byte, blue: byte)
        default: Color(red: byte, green: 1, blue: 2, alpha: 200)
        }
      #expect(colors[point] == expected)
    }
    #expect(
      reading.warnings
        == (fixture == .rowWithMore
          ? ["a.drc: attributes without a meaning here are left out (1)"] : []))
  }

  @Test(arguments: [DracoFixture.edgebreaker, .sequential])
  func `meshes have all attributes`(fixture: DracoFixture) throws {
    let reading = try reading(fixture)
    #expect(reading.warnings == [])
    let mesh = try #require(reading.scene.meshes.first)
    let expected: [(Vector3, Color, Vector2)] = [
      (Vector3(0, 0, 0), Color(red: 255, green: 0, blue: 0), Vector2(0, 0)),
      (Vector3(1, 0, 0), Color(red: 0, green: 255, blue: 0), Vector2(1, 0)),
      (Vector3(0, 1, 0), Color(red: 0, green: 0, blue: 255), Vector2(0, 1)),
      (Vector3(1, 1, 0.5), Color(red: 9, green: 8, blue: 7), Vector2(1, 1)),
    ]
    #expect(mesh.vertexCount == 4 && mesh.faceCount == 2)
    #expect(mesh.normals == [Vector3](repeating: Vector3(0, 0, 1), count: 4))
    var found: Set<[Int]> = []
    for face in 0..<2 {
      var numbers: [Int] = []
      for corner in 3 * face..<3 * face + 3 {
        let vertex = Int(mesh.indices[corner])
        let number = try #require(
          expected.firstIndex { distance($0.0, mesh.positions[vertex]) < 1e-6 })
        numbers.append(number)
        #expect(mesh.colors?[vertex] == expected[number].1)
        #expect(mesh.textureCoordinates?[corner] == expected[number].2)
      }
      let first = numbers.indices.min { numbers[$0] < numbers[$1] } ?? 0
      found.insert(Array(numbers[first...] + numbers[..<first]))
    }
    #expect(found == [[0, 1, 2], [1, 3, 2]])
  }

  @Test func `what a file leaves open is said to be assumed`() throws {
    let reader = try #require(FormatRegistry(builtInFormats).reader(forPath: "a.drc"))
    #expect(reader.axes == .undeclared(usually: .arkit) && reader.unitsInUse == [1])
    #expect(reader.recognizes(FileHead(DracoFixture.tree.bytes, fileSize: 394)))
    #expect(try reading(.tree).scene.coordinateSystem == .arkit)
  }

  @Test func `floats from 0 to 1 or to 255 are colours`() throws {
    let expected: Set = [
      Color(red: 0, green: 51, blue: 255), Color(red: 255, green: 0, blue: 51),
      Color(red: 128, green: 0, blue: 0),
    ]
    let small = try scene(of: [0, 0.2, 1, 1, 0, 0.2, 0.5, 0, 0] as [Float], type: .float32)
    #expect(small.scene.meshes.first?.colors.map { Set($0) } == expected)
    #expect(small.warnings == [])
    let large = try scene(of: [0, 51, 300, 255, 0, 51, 128, -1, 0] as [Float], type: .float32)
    #expect(large.scene.meshes.first?.colors.map { Set($0) } == expected)
    #expect(
      large.warnings == [
        "a.drc: colours are outside 0 to 255 (2 values); each is replaced by the nearest end"
      ])
    let wide: [UInt16] = [0, 257 * 51, 65535, 65535, 0, 257, 0, 0, 0]
    let colors = try #require(try scene(of: wide, type: .uint16).scene.meshes.first?.colors)
    #expect(
      Set(colors) == [
        Color(red: 0, green: 51, blue: 255), Color(red: 255, green: 0, blue: 1),
        Color(red: 0, green: 0, blue: 0),
      ])
  }

  /// A triangle whose colours are given by nine numbers.
  private func scene<Number>(of colors: [Number], type: NumberType) throws -> Reading {
    let positions: [Float] = [0, 0, 0, 1, 0, 0, 0, 1, 0]
    func attribute(
      _ kind: DracoEncoder.Kind, _ type: NumberType, _ bytes: [UInt8]
    ) -> DracoEncoder.Attribute {
      DracoEncoder.Attribute(
        kind, type, width: 3, isNormalized: type == .uint16, .none, values: bytes,
        stride: 3 * type.size, places: nil, joinsValues: false)
    }
    let encoded = try DracoEncoder.encoded(
      triangles: [0, 1, 2], pointCount: 3,
      [
        attribute(.position, .float32, positions.withUnsafeBytes { Array($0) }),
        attribute(.color, type, colors.withUnsafeBytes { Array($0) }),
      ])
    let folder = try TemporaryFolder()
    return try Reading(folder.write("a.drc", encoded.bytes))
  }

  // MARK: Another encoder

  @Test(.needs("DracoPy", "numpy"), arguments: [0, 5, 10])
  func `a mesh of another encoder is whole, and its seams are welded`(level: Int) throws {
    let torus = MeshFixtures.torus(segments: 32, sides: 16)
    // Two points for each vertex, of which faces use one or the other.
    let count = torus.vertexCount
    let faces = (0..<torus.faceCount).map { face in
      (0..<3).map { Int(torus.indices[3 * face + $0]) + (face % 2) * count }
    }
    let points = torus.positions.map { [$0.x, $0.y, $0.z].map(Double.init) }
    let given: [String: Any] = [
      "points": points + points, "faces": faces, "level": level, "keep": false,
      "tex_coord": (0..<2 * count).map { [Double($0 % count) / 1024, $0 < count ? 0.25 : 0.75] },
      "colors": (points + points).map { place in
        place.map { Int((($0 + 2) * 50).rounded()) }
      },
    ]
    let folder = try TemporaryFolder()
    let json = try folder.write("a.json", Array(JSONSerialization.data(withJSONObject: given)))
    _ = try Checkers.run("Tools/checks/drc.py", [json, folder.path + "/a.drc"])
    let reading = try Reading(folder.path + "/a.drc")
    let mesh = try #require(reading.scene.meshes.first)
    #expect(reading.warnings == [])
    #expect(mesh.vertexCount == count && mesh.faceCount == torus.faceCount)
    let coordinates = try #require(mesh.textureCoordinates)
    var found: Set<[Int]> = []
    for face in 0..<mesh.faceCount {
      let numbers = (0..<3).map { Int((coordinates[3 * face + $0].x * 1024).rounded()) }
      for (offset, number) in numbers.enumerated() {
        let vertex = Int(mesh.indices[3 * face + offset])
        #expect(distance(mesh.positions[vertex], torus.positions[number]) < 1e-5)
        let color = try #require(mesh.colors?[vertex])
        #expect(Int(color.red) == Int((points[number][0] * 50 + 100).rounded()))
      }
      let first = numbers.indices.min { numbers[$0] < numbers[$1] } ?? 0
      found.insert(Array(numbers[first...] + numbers[..<first]))
    }
    let expected = (0..<torus.faceCount).map { face in
      let numbers = (0..<3).map { Int(torus.indices[3 * face + $0]) }
      let first = numbers.indices.min { numbers[$0] < numbers[$1] } ?? 0
      return Array(numbers[first...] + numbers[..<first])
    }
    #expect(found == Set(expected))
  }

  // MARK: Bad data

  private static let damaged = "the compressed data are damaged, or of a newer version of Draco"
  private static let manyFaces = "the data claim more faces than plausible"
  private static let manyPoints = "the data claim more points than plausible"

  @Test(arguments: [
    // Edgebreaker: a traversal, the vertices and 268,435,455 faces; in 2.1 and 1.1 with new vertices before.
    ([2, 2, 1, 1, 0, 0, 0, 3, 0xFF, 0xFF, 0xFF, 0x7F], manyFaces),
    ([2, 1, 1, 1, 0, 0, 0, 0, 3, 0xFF, 0xFF, 0xFF, 0x7F], manyFaces),
    ([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0], manyFaces),
    // Sequential: 268,435,455 faces and three points, in 2.1 16,777,215.
    ([2, 2, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F, 3], manyFaces),
    ([2, 1, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0, 3, 0, 0, 0], manyFaces),
    // Points in a row and in a tree.
    ([2, 3, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F], manyPoints),
    ([2, 3, 0, 1, 0, 0, 0xFF, 0xFF, 0xFF, 0x0F], manyPoints),
    ([2, 3, 0, 0, 0, 0, 1, 0], damaged), ([2, 2, 1, 1], "the data are not Draco's"),
    ([2, 2, 7, 1, 0, 0], damaged), ([2, 2, 1, 9, 0, 0], damaged), ([9, 9, 1, 1, 0, 0], damaged),
    ([2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0], "contains no points"),
  ])
  func `claims that can't be true are refused`(rest: [UInt8], message: String) throws {
    #expect(try readingFault("a.drc", Array("DRACO".utf8) + rest) == "a.drc: \(message)")
  }

  @Test(arguments: DracoFixture.allCases)
  func `damage is an error, or leaves a valid scene`(fixture: DracoFixture) throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: 11)
    var faults = 0
    for round in 0..<100 {
      var damaged = fixture.bytes
      let place = Int.random(in: 5..<damaged.count, using: &random)
      if round % 4 == 0 { damaged.removeLast(damaged.count - place) }
      for offset in place..<min(place + 1 + round % 8, damaged.count) {
        damaged[offset] = UInt8.random(in: 0...255, using: &random)
      }
      do {
        _ = try Reading(folder.write("damaged.drc", damaged))
      } catch let error as ReadingError {
        faults += 1
        #expect(error.message.hasPrefix(folder.path + "/damaged.drc: "))
      }
    }
    #expect(faults > 20)
  }
}
