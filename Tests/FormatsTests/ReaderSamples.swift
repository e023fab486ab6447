import MeshPipeline
import MeshTestSupport

@testable import Formats

/// Small files that use all that the native readers know.
struct ReaderSamples {
  /// The main file first, then what lies beside it.
  var files: [(name: String, bytes: [UInt8])]

  init(_ files: (String, String)...) { self.files = files.map { ($0, Array($1.utf8)) } }
  init(name: String, _ bytes: [UInt8]) { files = [(name, bytes)] }

  static func all() throws -> [ReaderSamples] {
    var samples = [
      obj, ReaderSamples(("points.obj", "v 0 0 0\nv 1 1 1 0.5 0.5 1\np 1 -1\n")),
      ReaderSamples(("text.stl", stl)),
      ReaderSamples(("text.ply", plyText)),
      ReaderSamples(
        ("a.off", "STCNOFF # all\n4 2\n" + offVertices + "4 0 1 2 3 0.5 0 1\n3 0 1 2\n")),
    ]
    samples += [
      ReaderSamples(("a.xyz", "# classification 20 sofa\n#x y z label r g b\n1 2 3 20 4 5 6\n")),
      ReaderSamples(("a.csv", "x;y;z;nx;ny;nz\n1e5;2;3;0;0;1\n123456;7;8;0;1;0\n")),
      ReaderSamples(("a.pcd", PCDFixture.text)),
      ReaderSamples(name: "b.pcd", PCDFixture.compressed),
      ReaderSamples(("a.pts", "2\n1 2 3 -7 4 5 6\n1 2 3 9 4 5 6\n")),
      ReaderSamples(("b.pts", "1\n1 2 3 -7 4 5 6\n2\n1 2 3\n7 8 9\n0\n")),
      ReaderSamples(("ids.csv", "identifier,x,y,z\n18446744073709551615,1,2,3\n7,1,2,4\n")),
      ReaderSamples(("a.ptx", PTXFixture.scan() + PTXFixture.scan(place: [5, 6, 7]))),
      ReaderSamples(("a.features.json", FeatureFixture.nested)),
      ReaderSamples(name: "a.drc", DracoFixture.tree.bytes),
      ReaderSamples(name: "b.drc", DracoFixture.edgebreaker.bytes),
      ReaderSamples(("a.features.jsonl", FeatureFixture.lines)),
    ]
    samples.append(ReaderSamples(("a.roomplan.json", RoomFixture(turn: 0.3).json.compactText)))
    for kind in Kind.allCases { samples.append(ply(kind)) }
    samples += try written()
    return samples
  }

  private static let obj = ReaderSamples(
    (
      "a.obj",
      """
      # a scan \\
      mtllib a b.mtl other.mtl
      o room
      v 0 0 0 1 0 0\r
      v 1 0 0 0 1 0
      v 1 1 0 0 0 1
      v 0 1 0.5 1 1 1
      v -1 .5e0 +1.25 0.5 0.5 0.5
      vt 0 0
      vt 1 0 0
      vt 1 1
      vn 0 0 1
      vn 1 0 0
      g wall_1
      usemtl red
      f 1/1/1 2/2/1 3/3/1 4/1/1 5/2/2
      g floor other
      usemtl blue thing
      s 1
      f -5//1 -4//1 \\
        -3//2
      f 1 2 3
      f 1/1 2/2 3/3
      l 1 2 3
      p 1 -1
      """
    ),
    (
      "a b.mtl",
      """
      newmtl red
      Kd 1 0.5 0
      Ks 0.5 0.5 0.5
      Ns 100
      illum 2
      Tr 0.25
      map_Kd -s 2 2 2 -o 0.1 0.1 -bm 1 red wall.png
      newmtl\tblue thing
      d 0.5
      Ke 1 1 1
      map_Bump normal.png
      """
    ), ("red wall.png", "\u{89}PNG"))

  private static let stl = """
    solid wall
    facet normal 0 0 1
    outer loop
    vertex 0 0 0
    vertex 1 0 0
    vertex 1 1e0 -0
    endloop
    endfacet
    endsolid wall
    """

  private static let offVertices = """
    0 0 0  0 0 1  1 0 0 1  0 0
    1 0 0  0 0 1  1 0 0 1  0 1
    1 1 0  0 0 1  1 0 0 1  1 1
    0 1 0  0 0 1  0 0 1 .5  1 0

    """

  private static let plyText = """
    ply
    format ascii 1.0
    comment TextureFile a.png
    obj_info made by hand
    element vertex 4
    property float x
    property float y
    property float z
    property uchar label
    element face 2
    property list uchar int vertex_indices
    end_header
    0 0 0 1
    1 0 0 1
    1 1 0 2
    0 1 nan 2
    3 0 1 2
    4 0 1 2 3
    """

  /// All that a PLY file may hold, strips and unknown elements included.
  private static func ply(_ kind: Kind) -> ReaderSamples {
    let file = PLYFixture(kind)
    file.element("camera", 1, ["property list ushort double lens", "property char flag"])
    file.element(
      "vertex", 5,
      [
        "property float x", "property float y", "property float z", "property uchar red",
        "property uchar green", "property uchar blue", "property float confidence",
        "property double rot_0", "property double rot_1", "property short instance",
      ])
    file.element(
      "face", 3,
      [
        "property list uchar int vertex_indices", "property uchar classification",
        "property list uchar float texcoord", "property int part",
      ])
    file.element("tristrips", 1, ["property list int int vertex_indices"])
    file.endHeader()
    file.list(.uint16, [1, 2], .float64).value(1, .int8).endRecord()
    for index in 0..<5 {
      for part in 0..<3 { file.value(Double(index * part), .float32) }
      for part in 0..<3 { file.value(Double(index * part), .uint8) }
      file.value(2, .float32).value(0.5, .float64).value(-1e9, .float64)
      file.value(-7, .int16).endRecord()
    }
    for face in [[0.0, 1, 2], [0, 1, 2, 3], [4, 3, 2, 1, 0]] {
      file.list(.uint8, face, .int32).value(3, .uint8)
      file.list(.uint8, face.flatMap { [$0, $0] }, .float32).value(70_000, .int32).endRecord()
    }
    file.list(.int32, [0, 1, 2, 3, -1, 4, 3, 2], .int32).endRecord()
    return ReaderSamples(name: "\(kind.rawValue).ply", file.bytes)
  }

  /// What the project's own writers make of a cube with everything.
  private static func written() throws -> [ReaderSamples] {
    var mesh = MeshFixtures.cube
    mesh.textureCoordinates = (0..<36).map { Vector2(Float($0 % 5), Float($0 % 3)) }
    mesh.colors = (0..<8).map { Color(red: UInt8($0), green: 0, blue: 9) }
    mesh.classes = FaceClasses(labels: (0..<12).map { $0 < 5 ? 1 : 2 })
    mesh.faceMaterials = (0..<12).map { $0 % 2 }
    mesh.addCustomAttributes()
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10, 0, 0]
    let scene = Scene(
      name: "cube", meshes: [mesh],
      materials: [Material(name: "skin", baseColorTexture: 0), Material(name: "plain")],
      textures: [Texture(fileName: "skin.png", encoding: .png, bytes: png)])
    return try BuiltInFormats.native.map { format in
      let folder = try TemporaryFolder()
      let name = "cube." + format.extensions[0]
      try format.write(
        scene, to: OutputSet(folder: folder.path, mainFileName: name), in: WritingContext())
      var sample = ReaderSamples(name: name, try FileSystem.contents(of: folder.path + "/" + name))
      for side in try FileSystem.names(inFolder: folder.path) where side != name {
        sample.files.append((side, try FileSystem.contents(of: folder.path + "/" + side)))
      }
      return sample
    }
  }
}
