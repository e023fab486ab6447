import Formats
import MeshPipeline
import MeshTestSupport
import Testing

@Suite struct OBJReadingTests {
  private let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

  @Test func `vertices and faces come in the order of the file`() throws {
    let mesh = try Reading.mesh("a.obj", square + "v 9 9 9\nf 3 1 2\nf 4 1 3\n")
    #expect(mesh.positions.count == 5)
    #expect(mesh.positions[4] == Vector3(9, 9, 9))
    #expect(mesh.indices == [2, 0, 1, 3, 0, 2])
    #expect(mesh.name == "a")
  }

  @Test func `all four forms of a corner are read`() throws {
    let attributes = "vt 0.5 0.25\nvn 0 0 2\n"
    let forms = [
      ("1 2 3", false, false), ("1/1 2/1 3/1", true, false), ("1//1 2//1 3//1", false, true),
      ("1/1/1 2/1/1 3/1/1", true, true),
    ]
    for (form, hasTexture, hasNormals) in forms {
      let mesh = try Reading.mesh("a.obj", square + attributes + "f \(form)\n")
      #expect(mesh.indices == [0, 1, 2])
      #expect(
        mesh.textureCoordinates
          == (hasTexture ? [Vector2](repeating: Vector2(0.5, 0.25), count: 3) : nil))
      #expect(mesh.normals == (hasNormals ? [Vector3](repeating: Vector3(0, 0, 1), count: 4) : nil))
    }
  }

  @Test func `negative indices count back from the last element`() throws {
    let mesh = try Reading.mesh("a.obj", square + "f -4 -3 -2\nv 5 5 5\nf -1 1 2\n")
    #expect(mesh.indices == [0, 1, 2, 4, 0, 1])
  }

  /// Each run of lines is longer than the blocks that threads parse.
  @Test func `what only some blocks have is filled in for the others`() throws {
    let (count, faceCount) = (40_000, 80_000)
    var text = ""
    func addFaces(_ corner: (Int) -> String) {
      for _ in 0..<faceCount { text += "f \(corner(1)) \(corner(40_002)) \(corner(80_000))\n" }
    }
    // Before the first vertex, as no rule forbids.
    addFaces { "\($0)" }
    for index in 0..<3 * count {
      text += "v \(index).000000 \(index % 7).000000 0.000000"
      text += index / count == 1 ? " 0 1 0\n" : "\n"
    }
    text += "vn 0.000000 0.000000 1.000000\nvn 1.000000 0.000000 0.000000\nvt 0.250000 0.750000\n"
    addFaces { "\($0)/1/2" }
    addFaces { "\($0)" }
    let mesh = try Reading.mesh("a.obj", text)
    #expect(mesh.positions.indices.allSatisfy { mesh.positions[$0].x == Float($0) })
    let colors = try #require(mesh.colors)
    #expect(colors[..<count].allSatisfy { $0 == .white })
    #expect(colors[count..<2 * count].allSatisfy { $0 == Color(red: 0, green: 255, blue: 0) })
    #expect(colors.count == 3 * count && colors[(2 * count)...].allSatisfy { $0 == .white })
    #expect(mesh.indices.count == 9 * faceCount)
    #expect(mesh.indices.indices.allSatisfy { mesh.indices[$0] == [0, 40_001, 79_999][$0 % 3] })
    let normals = try #require(mesh.cornerNormals)
    let flat = normals[0]
    #expect(flat == Vector3(0, 0, 1) || flat == Vector3(0, 0, -1))
    let texture = try #require(mesh.textureCoordinates)
    for corner in normals.indices {
      let isPlain = corner / (3 * faceCount) != 1
      guard normals[corner] == (isPlain ? flat : Vector3(1, 0, 0)),
        texture[corner] == (isPlain ? .zero : Vector2(0.25, 0.75))
      else {
        Issue.record("corner \(corner)")
        break
      }
    }
  }

  @Test func `negative indices reach over the blocks that threads parse`() throws {
    var text = "vt 0.5 0.5\nvn 0 0 1\n"
    let count = 60_000
    for index in 0..<count { text += "v \(index).123456 0.123456 0.123456\n" }
    text += String(repeating: "f -60000/-1/-1 -2/-1/-1 -1/-1/-1\n", count: 2)
    let mesh = try Reading.mesh("a.obj", text)
    #expect(mesh.indices == [0, 59_998, 59_999, 0, 59_998, 59_999])
    #expect(mesh.textureCoordinates?.allSatisfy { $0 == Vector2(0.5, 0.5) } == true)
    #expect(mesh.normals?.last == Vector3(0, 0, 1))
  }

  @Test func `comments, tabs, joined lines and any line ending are understood`() throws {
    let lines = [
      "# a comment \\", "\tv\t0 0 0 # here too", "v 1 0 0", "v 1 1 \\", " 0", "", "   ", "s off",
      "s 1",
      "f 1 2 \\", "3", "# end",
    ]
    for ending in ["\n", "\r\n", "\r"] {
      let mesh = try Reading.mesh("a.obj", lines.joined(separator: ending))
      #expect(mesh.positions == [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(1, 1, 0)])
      #expect(mesh.indices == [0, 1, 2])
    }
  }

  @Test func `colours of 0 to 1 and of 0 to 255 are read, with a weight or none`() throws {
    let unit = try Reading.mesh("a.obj", "v 0 0 0 1 0.5 0\nv 1 0 0\nv 1 1 0 0 0 1 1\nf 1 2 3\n")
    #expect(
      unit.colors == [
        Color(red: 255, green: 128, blue: 0), .white, Color(red: 0, green: 0, blue: 255),
      ])
    let bytes = try Reading.mesh(
      "a.obj", "v 0 0 0 255 128 0\nv 1 0 0 1.0\nv 1 1 0 0 0 7\nf 1 2 3\n")
    #expect(
      bytes.colors == [
        Color(red: 255, green: 128, blue: 0), .white, Color(red: 0, green: 0, blue: 7),
      ])
    #expect(try Reading.mesh("a.obj", "v 0 0 0 1\nv 1 0 0 1\nv 1 1 0 1\nf 1 2 3\n").colors == nil)
  }

  @Test func `a concave polygon is cut inside its outline`() throws {
    // An arrow head whose fan from the first corner would leave it.
    let arrow = "v 0 0 0\nv 2 1 0\nv 0 2 0\nv 0.5 1 0\nf 1 2 3 4\n"
    #expect(try area(Reading.mesh("a.obj", arrow)) == 1.5)
    let l = "v 0 0 0\nv 3 0 0\nv 3 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\n"
    for start in 0..<6 {
      let face = (0..<6).map { String(($0 + start) % 6 + 1) }.joined(separator: " ")
      #expect(try area(Reading.mesh("a.obj", l + "f \(face)\n")) == 5)
    }
  }

  /// The sum of the faces' areas: larger than the polygon's when triangles overlap.
  private func area(_ mesh: Mesh) throws -> Double {
    (0..<mesh.faceCount).reduce(0) { sum, face in
      let (a, b, c) = mesh.vertices(ofFace: face)
      let origin = mesh.positions[Int(a)].double
      let u = mesh.positions[Int(b)].double - origin
      let v = mesh.positions[Int(c)].double - origin
      return sum + u.cross(v).length / 2
    }
  }

  @Test func `texture coordinates follow the corners of a polygon that is cut`() throws {
    let text =
      "v 0 0 0\nv 2 1 0\nv 0 2 0\nv 0.5 1 0\nvt 0 0\nvt 2 1\nvt 0 2\nvt 0.5 1\nf 1/1 2/2 3/3 4/4\n"
    let mesh = try Reading.mesh("a.obj", text)
    for (corner, vertex) in mesh.indices.enumerated() {
      let position = mesh.positions[Int(vertex)]
      #expect(mesh.textureCoordinates?[corner] == Vector2(position.x, position.y))
    }
  }

  @Test func `normals are per vertex where they agree and per corner where they differ`() throws {
    let normals = "vn 0 0 1\nvn 0 0 3\nvn 1 0 0\n"
    let shared = try Reading.mesh(
      "a.obj", square + normals + "f 1//1 2//1 3//1\nf 1//2 3//1 4//1\n")
    #expect(shared.normals == nil)
    #expect(shared.cornerNormals == [Vector3](repeating: Vector3(0, 0, 1), count: 6))
    let hard = try Reading.mesh("a.obj", square + normals + "f 1//1 2//1 3//1\nf 1//3 3//3 4//3\n")
    #expect(hard.cornerNormals?[3] == Vector3(1, 0, 0))
    let smooth = try Reading.mesh(
      "a.obj", square + normals + "f 1//1 2//1 3//3\nf 1//1 3//3 4//1\n")
    #expect(smooth.normals?[2] == Vector3(1, 0, 0))
  }

  /// Corners like `7/7/7` need no list of their own; what comes out must not show it.
  @Test(arguments: [nil, 0, 39_999, 79_999])
  func `indices that repeat those of the vertices are like any others`(other: Int?) throws {
    // 80,000 faces, so that threads parse them in several blocks; `other` is one that repeats nothing.
    let count = 40_002
    func text(shift: Int) -> String {
      var text = String(repeating: "vt 7 7\nvn 7 7 7\n", count: shift)
      for index in 0..<count {
        text += "v \(index) \(index % 2) 0\nvt \(index) 0.5\nvn 0 \(index % 3) 1\n"
      }
      for face in 0..<80_000 {
        for corner in [face / 2, face / 2 + 1, face / 2 + 2] {
          let attribute = corner + 1 + shift + (face == other ? -1 : 0)
          text += corner == face / 2 ? "f" : ""
          text += " \(corner + 1)/\(max(1 + shift, attribute))/\(max(1 + shift, attribute))"
        }
        text += "\n"
      }
      return text
    }
    let following = try Reading.mesh("a.obj", text(shift: 0))
    let listed = try Reading.mesh("a.obj", text(shift: 2))
    #expect(following.faceCount == 80_000)
    #expect(following == listed)
    #expect((following.normals == nil) == (other != nil))
  }

  /// Lines like most are read in another way than all others, which a tab makes of them.
  @Test(arguments: ["\n", "\r\n"])
  func `plain lines say the same as the same lines with tabs`(ending: String) throws {
    var random = SeededGenerator(seed: 3)
    func number() -> String {
      var digits = (0..<1 + random.next() % 9).map { _ in String(random.next() % 10) }
      if random.next() % 8 != 0 { digits.insert(".", at: Int(random.next() % 4) % digits.count) }
      return (random.next() % 2 == 0 ? "-" : "") + digits.joined()
    }
    for _ in 0..<20 {
      let count = 200
      var lines: [String] = []
      let hasColors = random.next() % 2 == 0
      for _ in 0..<count {
        lines.append("v \(number()) \(number()) \(number())" + (hasColors ? " 0.5 1 .25" : ""))
        lines.append("vn \(number()) \(number()) \(number())")
        lines.append("vt \(number()) \(number())" + (random.next() % 4 == 0 ? " 0" : ""))
      }
      let ways = (0..<1 + random.next() % 3).map { _ in Int(random.next() % 5) }
      for face in 0..<count {
        let corners = (0..<3).map { _ in
          let index = (0..<3).map { _ in 1 + random.next() % UInt64(count) }
          switch ways[face * ways.count / count] {
          case 0: return "\(index[0])"
          case 1: return "\(index[0])/\(index[1])"
          case 2: return "\(index[0])//\(index[2])"
          case 3: return "\(index[0])/\(index[1])/\(index[2])"
          default: return "\(index[0])/\(index[0])/\(index[0])"
          }
        }
        lines.append("f " + corners.joined(separator: " "))
      }
      let plain = try Reading.mesh("a.obj", lines.map { $0 + ending }.joined())
      let tabs = lines.map { $0.replacing(" ", with: "\t") + ending }
      #expect(try plain == Reading.mesh("a.obj", tabs.joined()))
    }
  }

  @Test func `vertices alone and point elements are points`() throws {
    let folder = try TemporaryFolder()
    let cloud = try Reading(folder.write("a.obj", square)).scene
    #expect(cloud.meshes.isEmpty)
    #expect(cloud.pointClouds.first?.positions.count == 4)
    let chosen = try Reading(folder.write("b.obj", square + "p 2 -1\nf 1 2 3\n")).scene
    #expect(chosen.pointClouds.first?.positions == [Vector3(1, 0, 0), Vector3(0, 1, 0)])
    #expect(chosen.meshes.first?.faceCount == 1)
  }

  @Test func `vertices that are not finite are kept with a warning`() throws {
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("a.obj", square + "v nan -nan(ind) inf\nf 1 2 3\n"))
    #expect(reading.scene.vertexCount == 5)
    #expect(reading.warnings == ["a.obj:5: vertices are not finite (1); 'clean' removes them"])
  }

  /// A cube whose sides have their own texture coordinates.
  private var cube: [String] {
    var lines = ["mtllib m.mtl"]
    lines += (0..<8).map { "v \($0 & 1).25 \($0 >> 1 & 1).25 \($0 >> 2).25" }
    lines += (0..<24).map { "vt 0.\($0) 0.5" }
    lines.append("usemtl m")
    let quads = [
      [1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6],
    ]
    for (side, quad) in quads.enumerated() {
      lines.append(
        "f " + quad.enumerated().map { "\($1)/\(4 * side + $0 + 1)" }.joined(separator: " "))
    }
    return lines
  }

  private func warnings(_ text: String) throws -> [String] {
    let folder = try TemporaryFolder()
    _ = try folder.write("m.mtl", "newmtl m\n")
    return try Reading(folder.write("a.obj", text)).warnings
  }

  @Test(arguments: 2...39)
  func `a file that ends in any line of it is questioned`(count: Int) throws {
    let whole = cube.joined(separator: "\n")
    for end in ["", "\n"] { #expect(try warnings(whole + end) == []) }
    let lines = cube.prefix(count)
    for text in [
      lines.joined(separator: "\n") + "\n", lines.joined(separator: "\n"),
      String(lines.joined(separator: "\n").dropLast(3)),
    ] {
      do {
        let found = try warnings(text)
        #expect(found.contains { $0.hasSuffix("complete?") }, "\(text.suffix(20)): \(found)")
      } catch let error as ReadingError {
        #expect(error.message.hasSuffix("is the file complete?"))
        #expect(count > 9, "texture coordinates say that it is a mesh")
      }
    }
  }

  @Test func `points that are meant are not questioned`() throws {
    #expect(try warnings("v 0 0 0\nv 1 0 0\np 1 2\n") == [])
    #expect(try warnings("v 0 0 0\nv 1 0 0\nl 1 2\n").allSatisfy { !$0.contains("complete") })
    // Some vertices without faces, but not the last.
    let text = "v 9 9 9\n" + square + "f -4 -3 -2 -1\n"
    #expect(try warnings(text) == [])
  }

  @Test(arguments: ["1e38", "-170141183460469230000000000000000000000.0", "nan", "inf", "2000000"])
  func `texture coordinates beyond any picture become zero`(number: String) throws {
    let text =
      square + "vt 0.5 0.5\nvt 0.25 \(number)\nvt \(number) 1\nf 1/1 2/2 3/3\nf 1/1 3/3 4/1\n"
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("a.obj", text))
    #expect(
      reading.scene.meshes[0].textureCoordinates?.prefix(3) == [
        Vector2(0.5, 0.5), Vector2(0.25, 0), Vector2(0, 1),
      ])
    #expect(
      reading.warnings == [
        "a.obj:6: texture coordinates are not finite or beyond 1000000 (2); 0 stands in for them"
      ])
  }

  @Test(arguments: [
    ("v 0 0\n", "a.obj:1: expected a number, but the line ends"),
    ("v 0 0 0\nv 1 x 0\n", "a.obj:2: expected a number, but found 'x'"),
    ("v 0 0 0\n\n#\nf 1 1 2\n", "a.obj:4: the face refers to vertex 2, but there are 1 vertices"),
    ("v 0 0 0\nf 1 1\n", "a.obj:2: a face needs at least three corners"),
    ("v 0 0 0\nf 1 1 0\n", "a.obj:2: an index of 0; indices of OBJ count from 1"),
    ("v 0 0 0\nf 1 -2 1\n", "a.obj:2: the face refers to vertex 0, but there are 1 vertices"),
    ("v 0 0 0\nf 1 1 1.5\n", "a.obj:2: expected a vertex index, but found '.5'"),
    ("v 0 0 0\nf 1 1 99999999999\n", "a.obj:2: index 99999999999 is out of range"),
    (
      "v 0 0 0\nvt 0 0\nf 1/1 1/1 1/2\n",
      "a.obj:3: the face refers to texture coordinate 2, but there are 1 texture coordinates"
    ),
    ("\0\0\0\0v 0 0 0\n", "a.obj:1: begins with zeros; is this an OBJ file?"),
    (
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nvn 0 0 1\nvn 0 0 1\nf 1//1 2//2 1//1\nf 1//1 2//2 3//3\n",
      "a.obj:7: the face refers to normal 3, but there are 2 normals"
    ),
    ("v 0 0 0 1 1 1 1 5\n", "a.obj:1: expected the end of the line, but found '5'"),
    ("v 0 0 0\nw 1 2 3\n", "a.obj:2: unknown statement 'w'"),
    ("v 0 0 0\n\u{1}\u{2}\n", "a.obj:2: unknown statement '?'"),
    ("", "a.obj: contains no vertices"),
  ])
  func `damage is told with its line`(_ contents: String, _ message: String) throws {
    #expect(try readingFault("a.obj", contents) == message)
  }

  @Test(
    arguments: [
      // ZBrush's zero behind the last line, and the Ctrl-Z of old programs.
      ("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n\n\0\n", nil),
      ("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n\u{1A}", nil),
      ("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\u{1A}\0\0", nil),
      (
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\nt crease 2/1/0 1 2 4.7\n",
        "a.obj:5: unknown statements such as 't' are ignored (1)"
      ),
      (
        "v 0 0 0\nv 1 0 0\nvw 0 0 0.5\nv 1 1 0\nf 1 2 3\n",
        "a.obj:3: unknown statements such as 'vw' are ignored (1)"
      ),
      (
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nf\nf \nf 1 2 3\n",
        "a.obj:4: statements without numbers (2): such faces are left out, such vertices become zero"
      ),
      (
        "v\nv 1 0 0\nv 1 1 0\nf 1 2 3\n",
        "a.obj:1: statements without numbers (1): such faces are left out, such vertices become zero"
      ),
      (
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1//1 2//2 3//3\n",
        "a.obj: the faces refer to normals, but the file has none"
      ),
      (
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1/4 2/5 3/6\n",
        "a.obj: the faces refer to texture coordinates, but the file has none"
      ),
    ] as [(String, String?)])
  func `what other programs read is read`(_ contents: String, _ warning: String?) throws {
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("a.obj", contents))
    let mesh = try #require(reading.scene.meshes.first)
    #expect(mesh.positions == [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(1, 1, 0)])
    #expect(mesh.indices == [0, 1, 2])
    #expect(mesh.normals == nil && mesh.cornerNormals == nil && mesh.textureCoordinates == nil)
    #expect(reading.warnings == (warning.map { [$0] } ?? []))
  }

  @Test func `an unknown statement of broken UTF-8 at the end of a file is told`() throws {
    let broken = Array("v 0 0 0\n".utf8) + [0xFF, 0xC3]
    #expect(try readingFault("a.obj", broken + [0x0A]) == "a.obj:2: unknown statement '??'")
    let folder = try TemporaryFolder()
    #expect(
      try Reading(folder.write("a.obj", broken)).warnings.first
        == "a.obj:2: the file ends within the statement '??', which is left out: is it complete?")
  }

  @Test func `a fault far down a large file has the right line`() throws {
    var text = ""
    for index in 0..<150_000 { text += "v \(index) 0 0.5\n" }
    text += "f 1 2 3\n# \nf 1 2 150001\n"
    #expect(
      try readingFault("a.obj", text)
        == "a.obj:150003: the face refers to vertex 150001, but there are 150000 vertices")
    #expect(try readingFault("a.obj", text + "f 1 2 x\n").hasPrefix("a.obj:150004: "))
  }
}
