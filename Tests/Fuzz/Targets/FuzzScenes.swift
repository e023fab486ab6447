import MeshPipeline

/// Small scenes with all that a format may hold.
enum FuzzScenes {
  static let all = [textured, colored, points]

  /// Two triangles in two classes and materials, one with a picture.
  private static var textured: Scene {
    var mesh = square
    mesh.textureCoordinates = mesh.indices.map { Vector2(Float($0 % 2), Float($0 / 2)) }
    mesh.classes = FaceClasses(labels: [1, 2])
    mesh.faceMaterials = [0, 1]
    return Scene(
      name: "textured", meshes: [mesh],
      materials: [Material(name: "skin", baseColorTexture: 0), Material(name: "plain")],
      textures: [Texture(fileName: "a.png", encoding: .png, bytes: Array("\u{89}PNG".utf8))])
  }

  private static var colored: Scene {
    var mesh = square
    mesh.colors = mesh.positions.map { Color(red: UInt8($0.x * 200), green: 3, blue: 9) }
    mesh.normals = mesh.positions.map { _ in Vector3(0, 0, 1) }
    mesh.confidences = [0, 1, 2, 1]
    mesh.vertexAttributes = [
      CustomAttribute("intensity", values: .uint16([1, 2, 3, 4])),
      CustomAttribute("rot", width: 2, values: .float32([0, 1, 2, 3, 4, 5, 6, 7])),
    ]
    mesh.faceAttributes = [CustomAttribute("part", values: .float64([0.5, .nan]))]
    return Scene(name: "coloured", meshes: [mesh, square])
  }

  private static var points: Scene {
    var cloud = PointCloud(name: "points", positions: square.positions)
    cloud.colors = cloud.positions.map { _ in .white }
    cloud.attributes = [CustomAttribute("scalar_Time", values: .int32([1, 2, 3, 4]))]
    var scene = Scene(name: "points", pointClouds: [cloud], coordinateSystem: .blender)
    scene.origin = SIMD3(392_000, 5_820_000, 0)
    scene.survey = survey
    return scene
  }

  private static var survey: Survey {
    var system = ReferenceSystem()
    (system.code, system.name) = ("EPSG:25833", "ETRS89 / UTM zone 33N")
    system.records = [.init(user: "LASF_Projection", id: 2112, title: "WKT", body: [65, 0])]
    var survey = Survey()
    survey.referenceSystem = system
    survey.lattice = .init(step: SIMD3(repeating: 0.001), offset: .zero)
    survey.classCodes = ["wall": 6]
    survey.hasStandardTime = true
    return survey
  }

  static let square = Mesh(
    name: "square",
    positions: [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(1, 1.5, 0), Vector3(0, 1, 1e-3)],
    indices: [0, 1, 2, 0, 2, 3])
}
