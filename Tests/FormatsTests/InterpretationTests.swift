import Formats
import MeshPipeline
import MeshTestSupport
import Testing

/// What a file leaves open, and how it is answered.
struct InterpretationTests {
  private func scene(
    _ name: String, _ contents: String, as reading: InputReading = InputReading()
  ) throws -> Scene {
    let folder = try TemporaryFolder()
    let path = try folder.write(name, contents)
    let format = try #require(FormatRegistry(builtInFormats).reader(forPath: path))
    return try ScanSource(path: path, format: format, reading: reading).read(in: ReadingContext())
  }

  // MARK: Axes

  private static let east = 583_000.25
  private static let north = 4_507_000.5

  /// Four points of a square, 30 m above the sea.
  private static func square(_ words: (SIMD3<Double>) -> String) -> String {
    [SIMD3(0.0, 0, 0), SIMD3(2, 0, 0), SIMD3(2, 3, 0), SIMD3(0, 3, 1)].map {
      words($0 + SIMD3(east, north, 30))
    }.joined()
  }

  private static func plain(_ place: SIMD3<Double>) -> String {
    "\(place.x) \(place.y) \(place.z)\n"
  }

  static let grids: [(String, String)] = [
    ("a.xyz", square(plain)),
    ("a.csv", "x,y,z\n" + square { "\($0.x),\($0.y),\($0.z)\n" }),
    ("a.obj", square { "v \($0.x) \($0.y) \($0.z)\n" } + "f 1 2 3 4\n"),
    (
      "a.ply",
      """
      ply
      format ascii 1.0
      element vertex 4
      property double x
      property double y
      property double z
      end_header

      """ + square(plain)
    ),
    (
      "a.pcd",
      """
      VERSION 0.7
      FIELDS x y z
      SIZE 8 8 8
      TYPE F F F
      COUNT 1 1 1
      WIDTH 4
      HEIGHT 1
      POINTS 4
      DATA ascii

      """ + square(plain)
    ),
    // Single precision has lost decimetres, but not the place.
    (
      "single.ply",
      """
      ply
      format ascii 1.0
      element vertex 4
      property float x
      property float y
      property float z
      end_header

      """ + square(plain)
    ),
  ]

  @Test(arguments: grids)
  func `coordinates of a national grid are east, north and height`(name: String, contents: String)
    throws
  {
    let scene = try scene(name, contents)
    #expect(scene.coordinateSystem.up == .z)
    #expect(scene.interpretation[.axes]?.source == .numbers)
    #expect(scene.interpretation[.origin]?.source == .numbers)
  }

  @Test func `far coordinates whose second is a height are Y up`() throws {
    let scene = try scene(
      "a.obj", "v 583000 32 -4507000\nv 583001 32 -4507000\nv 583000 33 -4507001\nf 1 2 3\n")
    #expect(scene.coordinateSystem.up == .y)
    #expect(scene.interpretation[.axes]?.source == .numbers)
  }

  @Test func `where nothing speaks, the format's custom holds, or else an assumption`() throws {
    let triangle = "0 0 0\n1 0 0\n0 1 0\n"
    let points = try scene("a.xyz", triangle)
    #expect(points.coordinateSystem.up == .y)
    #expect(points.interpretation[.axes]?.source == .assumed)
    #expect(points.interpretation[.axes]?.isDoubtful == true)
    let mesh = try scene("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    #expect(mesh.interpretation[.axes]?.source == .format)
    let said = try scene("a.xyz", triangle, as: InputReading(up: .z))
    #expect(said.coordinateSystem.up == .z)
    #expect(said.interpretation[.axes]?.source == .option)
  }

  /// A room of 4 x 3 x 2.5 m with named floor, ceiling and a wall, and its third axis up or its second.
  private static func room(isZUp: Bool) -> String {
    func vertex(_ x: Double, _ y: Double, _ height: Double) -> String {
      isZUp ? "v \(x) \(y) \(height)\n" : "v \(x) \(height) \(-y)\n"
    }
    let corners = [0, 2.5].map { height in
      vertex(0, 0, height) + vertex(4, 0, height) + vertex(4, 3, height) + vertex(0, 3, height)
    }
    return corners.joined() + "g floor\nf 1 2 3 4\ng ceiling\nf 8 7 6 5\ng wall\nf 1 2 6 5\n"
  }

  @Test(arguments: [true, false])
  func `floors and ceilings say which way is up`(isZUp: Bool) throws {
    let scene = try scene("a.obj", Self.room(isZUp: isZUp))
    #expect(scene.coordinateSystem.up == (isZUp ? .z : .y))
    #expect(scene.interpretation[.axes]?.source == .numbers)
  }

  // MARK: Units

  @Test func `the unit of an STL is in doubt, unless it can be no other`() throws {
    func stl(_ size: Double) -> String {
      """
      solid a
      facet normal 0 0 1
      outer loop
      vertex 0 0 0
      vertex \(size) 0 0
      vertex 0 \(size) 0
      endloop
      endfacet
      endsolid a

      """
    }
    let part = try scene("a.stl", stl(200)).interpretation[.unit]
    #expect(part?.source == .assumed && part?.isDoubtful == true)
    let scan = try scene("a.stl", stl(0.2)).interpretation[.unit]
    #expect(scan?.source == .numbers && scan?.isDoubtful == false)
  }

  // MARK: Colours and sides

  @Test func `colours without a word are sRGB, and a scan has no back`() throws {
    let bare = try scene("a.obj", "v 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 0 1 0 1 0 0\nf 1 2 3\n")
    #expect(bare.interpretation[.colors]?.value == "sRGB")
    #expect(bare.interpretation[.colors]?.source == .assumed)
    #expect(bare.interpretation[.sides]?.value == "both")
    #expect(bare.interpretation[.sides]?.source == .assumed)
    let points = try scene("a.xyz", "0 0 0\n1 0 0\n")
    #expect(points.interpretation[.colors] == nil && points.interpretation[.sides] == nil)
  }

  @Test(arguments: [true, false])
  func `a USD file says its sides, and its colours are linear`(isDoubleSided: Bool) throws {
    let text = """
      #usda 1.0
      def Mesh "a" {
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
        color3f[] primvars:displayColor = [(1, 0, 0), (0, 1, 0), (0, 0, 1)] (
          interpolation = "vertex"
        )
        uniform bool doubleSided = \(isDoubleSided ? 1 : 0)
      }

      """
    let found = try scene("a.usda", text).interpretation
    #expect(found[.colors]?.value == "linear light" && found[.colors]?.source == .format)
    // Writers show both sides of faces without a material.
    #expect(found[.sides]?.value == "both")
    #expect(found[.sides]?.source == (isDoubleSided ? .declared : .assumed))
  }

  // MARK: Classes

  private func classes(
    _ name: String, _ contents: String, as reading: InputReading = InputReading()
  ) throws -> (names: [String], source: Interpretation.Source?) {
    let scene = try scene(name, contents, as: reading)
    let classes = scene.meshes.first?.classes ?? scene.pointClouds.first?.classes
    let found = try #require(classes)
    #expect(found.column == nil)
    return (
      found.labels.map { found.names[Int($0)] }, scene.interpretation[.classes]?.source
    )
  }

  private func points(_ column: String, _ values: [Int], comments: String = "") -> String {
    "ply\nformat ascii 1.0\n\(comments)element vertex \(values.count)\nproperty float x\nproperty float y\n"
      + "property float z\nproperty float \(column)\nend_header\n"
      + values.enumerated().map { "\($0.offset) 0 1 \($0.element)\n" }.joined()
  }

  @Test func `a classification of points is the ASPRS's`() throws {
    for column in ["scalar_Classification", "Classification", "classification"] {
      let found = try classes("a.ply", points(column, [2, 3, 6, 0]))
      #expect(found.names == ["ground", "low-vegetation", "building", "none"], "\(column)")
      #expect(found.source == .format)
    }
    let text = try classes("a.asc", "//X Y Z Classification\n0 0 0 2\n1 0 0 6\n")
    #expect(text.names == ["ground", "building"])
  }

  @Test func `labels of another data set keep their numbers`() throws {
    let found = try classes("a.ply", points("label", [3, 0, 40]))
    #expect(found.names == ["label-3", "label-0", "label-40"])
    #expect(found.source == .assumed)
  }

  @Test(
    arguments: zip(
      ["arkit", "asprs", "none"],
      [["floor", "ceiling"], ["ground", "low-vegetation"], ["label-2", "label-3"]]))
  func `the user says what numbers stand for`(word: String, names: [String]) throws {
    let reading = InputReading(classes: try ClassScheme(wordOrFile: word))
    let found = try classes("a.ply", points("label", [2, 3]), as: reading)
    #expect(found.names == names)
    #expect(found.source == .option)
  }

  @Test func `a file may name numbers, and what it leaves out keeps its number`() throws {
    let folder = try TemporaryFolder()
    let table = try folder.write("scannet.json", #"{ "3": "Cabinet", "2": "floor" }"#)
    let reading = InputReading(classes: try ClassScheme(wordOrFile: table))
    var settings = RunSettings()
    settings.inputReading = reading
    #expect(RunSettings(settings.json)?.inputReading == reading)
    let found = try classes("a.ply", points("label", [3, 2, 7]), as: reading)
    #expect(found.names == ["cabinet", "floor", "label-7"])
    let wrong = try folder.write("wrong.json", #"{ "three": "cabinet" }"#)
    #expect(throws: InvalidClassTable.self) { try ClassScheme(wordOrFile: wrong) }
  }

  @Test func `names in the file are taken before any table`() throws {
    let comments = "comment classification 3 shelf\n"
    let found = try classes("a.ply", points("label", [3, 1], comments: comments))
    #expect(found.names[0] == "shelf")
    #expect(found.source == .declared)
  }

  /// A floor and a wall of some size, each a face with a number.
  private func faces(_ numbers: (Int, Int), size: Double = 3, isZUp: Bool = false) -> String {
    let floor =
      isZUp
      ? "0 0 0\n\(size) 0 0\n0 \(size) 0\n" : "0 0 0\n\(size) 0 0\n0 0 \(size)\n"
    return """
      ply
      format ascii 1.0
      element vertex 6
      property float x
      property float y
      property float z
      element face 2
      property list uchar int vertex_indices
      property uchar classification
      end_header
      \(floor)0 0 0
      0 \(isZUp ? 0 : size) \(isZUp ? size : 0)
      \(size) 0 0
      3 0 1 2 \(numbers.0)
      3 3 4 5 \(numbers.1)

      """
  }

  @Test func `0 to 7 on faces of a room are ARKit's`() throws {
    let found = try classes("a.ply", faces((2, 1)))
    #expect(found.names == ["floor", "wall"])
    #expect(found.source == .numbers)
    let zUp = try classes("a.ply", faces((2, 1), isZUp: true), as: InputReading(up: .z))
    #expect(zUp.names == ["floor", "wall"])
  }

  @Test func `numbers that ARKit does not have, or floors that stand, are not ARKit's`() throws {
    #expect(try classes("a.ply", faces((2, 9))).names == ["classification-2", "classification-9"])
    #expect(try classes("a.ply", faces((1, 2))).names == ["classification-1", "classification-2"])
    #expect(
      try classes("a.ply", faces((2, 1), size: 4000)).names
        == ["classification-2", "classification-1"])
  }

  @Test(arguments: [(1, 0), (3, 1), (0, 3), (0, 5)])
  func `numbers of another data set are not ARKit's where its rooms look different`(
    floor: Int, wall: Int
  ) throws {
    let found = try classes("a.ply", faces((floor, wall)))
    #expect(found.names == ["classification-\(floor)", "classification-\(wall)"])
    #expect(found.source == .assumed)
  }

  @Test(arguments: ["glb", "gltf", "ply", "pcd", "las", "meshscene"])
  func `names of the classes of points survive`(format: String) throws {
    let folder = try TemporaryFolder()
    var cloud = PointCloud(name: "a", positions: (0..<3).map { Vector3(Float($0), 0, 0) })
    cloud.classes = FaceClasses(
      labels: [1, 20, 21], names: FaceClasses.arkitNames + ["ground", "building"])
    let writer = try #require(FormatRegistry(builtInFormats).writer(id: format))
    try writer.write(
      Scene(pointClouds: [cloud]),
      to: OutputSet(folder: folder.path, mainFileName: "a.\(format)"), in: WritingContext())
    let path = folder.path + "/a.\(format)"
    let reader = try #require(FormatRegistry(builtInFormats).reader(forPath: path))
    let scene = try ScanSource(path: path, format: reader).read(in: ReadingContext())
    let classes = try #require(scene.pointClouds.first?.classes)
    #expect(classes.labels.map { classes.names[Int($0)] } == ["wall", "ground", "building"])
  }

  @Test func `of merged scans the less certain answer stays`() {
    var one = Interpretation()
    one.set(.axes, "y up", .declared)
    var other = Interpretation()
    other.set(.axes, "y up", .assumed, because: "nothing says so")
    other.set(.unit, "metres", .format)
    one.merge(other)
    #expect(one[.axes]?.source == .assumed)
    #expect(one[.unit]?.source == .format)
    other.merge(one)
    #expect(other == one)
  }
}
