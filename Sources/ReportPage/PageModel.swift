import MeshPipeline
import NativeLibraries
import Rendering

/// A model in a page.
struct PageModel {
  let name: String
  /// The whole model, for what is counted and measured.
  private let summary: SceneSummary
  /// What is shown of it.
  let scene: Scene
  let surface: PageSurface
  private let classNames: [String]
  private let textures: [JSONValue]

  /// - Parameters:
  ///   - scene: With no more faces than the page may have, in ARKit's axes.
  ///   - textureShare: The part of the page's textures that the model may have.
  init(
    _ whole: Scene, reducedTo scene: Scene, name: String, textureShare: Double, in data: PageData,
    warn: (String) -> Void
  ) {
    self.name = name
    summary = SceneSummary(whole)
    var scene = scene
    // Vertices stay those of the meshes then.
    scene.meshes = scene.meshes.filter { $0.faceCount > 0 }.map { $0.splitAtFaceColors() }
    self.scene = scene
    let (textures, places) = PageTextures.add(
      of: scene, share: textureShare, to: data, warn: warn)
    self.textures = textures
    classNames = summary.classes.map(\.name)
    let looks = SurfaceLooks(scene, choice: .auto, textures: places)
    surface = PageSurface(
      SceneSurface(scene, looks), labels: Self.labels(of: scene.meshes, among: classNames))
  }

  private static func labels(of meshes: [Mesh], among names: [String]) -> [Int]? {
    guard meshes.contains(where: { $0.classes != nil }) else { return nil }
    let places = Dictionary(zip(names, names.indices)) { first, _ in first }
    return meshes.flatMap { mesh in
      guard let classes = mesh.classes else { return [Int](repeating: -1, count: mesh.faceCount) }
      let known = classes.names.map { places[$0] ?? -1 }
      return classes.labels.map { known[Int($0)] }
    }
  }

  /// - Parameters:
  ///   - view: Azimuth and elevation at first.
  ///   - isOpened: Whether back faces are left out, so that a room is looked into.
  ///   - fields: What colours may show besides.
  func json(view: Viewpoint, isOpened: Bool, fields: [JSONValue], in data: PageData) -> JSONValue {
    let size = summary.sizeInMeters
    var members: [JSONValue.Member] = [
      .init("name", name.json), .init("faces", summary.faces.json),
      .init("points", (summary.points).json), .init("size", [size.x, size.y, size.z].json),
      .init("area", JSONValue(.number(summary.area))),
      .init("view", [view.azimuth, view.elevation].json), .init("isOpened", isOpened.json),
      .init("classes", JSONValue(.array(summary.classes.map(json)))),
      .init("fields", JSONValue(.array(fields))),
    ]
    if !surface.indices.isEmpty { members.append(.init("surface", surfaceJSON(in: data))) }
    if let cloud = cloudJSON(in: data) { members.append(.init("cloud", cloud)) }
    return JSONValue(.object(members))
  }

  private func json(_ share: SceneSummary.ClassShare) -> JSONValue {
    let (color, light) = (
      ClassPalette.color(of: share.name), ClassPalette.linearColor(of: share.name)
    )
    return [
      "name": share.name.json, "faces": share.faces.json, "points": share.points.json,
      "area": JSONValue(.number(share.area)), "code": ("#" + color.hexadecimal).json,
      "color": light.json,
    ]
  }

  private func surfaceJSON(in data: PageData) -> JSONValue {
    let indices = surface.indices
    let looks = surface.surface.looks.map { look -> JSONValue in
      [
        "color": look.color.json, "texture": look.texture.json,
        "usesColors": look.usesColors.json, "isPhotographed": look.isPhotographed.json,
      ]
    }
    let groups = surface.groups.map { group in
      var members: [JSONValue.Member] = [
        .init("look", group.look.json), .init("start", group.start.json),
        .init("count", group.count.json),
      ]
      if let label = group.label { members.append(.init("class", label.json)) }
      return JSONValue(.object(members))
    }
    var members: [JSONValue.Member] = [
      .init("vertices", surface.sources.count.json), .init("faces", (indices.count / 3).json),
      .init("positions", data.add(surface.positions)),
      .init("indices", data.add(count: indices.count / 3, width: 3) { Int(indices[3 * $0 + $1]) }),
      .init("looks", JSONValue(.array(looks))), .init("groups", JSONValue(.array(groups))),
      .init("textures", JSONValue(.array(textures))),
    ]
    if !surface.normals.isEmpty {
      members.append(.init("normals", data.add(normals: surface.normals)))
    }
    if let colors = surface.colors { members.append(.init("colors", data.add(colors))) }
    if !surface.coordinates.isEmpty, !textures.isEmpty {
      members.append(.init("spots", data.add(surface.coordinates)))
    }
    return JSONValue(.object(members))
  }

  private func cloudJSON(in data: PageData) -> JSONValue? {
    guard let cloud = PointSurface(scene, SurfaceLooks(scene, choice: .auto, textures: [:])) else {
      return nil
    }
    let table = SRGBTable.shared
    let colors = cloud.colors.map { light in
      Color(red: table.code(light.x), green: table.code(light.y), blue: table.code(light.z))
    }
    var members: [JSONValue.Member] = [
      .init("points", cloud.positions.count.json), .init("positions", data.add(cloud.positions)),
      .init("colors", data.add(colors)), .init("radius", JSONValue(.number(Double(cloud.radius)))),
      .init("isPhotographed", cloud.arePhotographed.allSatisfy(\.self).json),
    ]
    if cloud.normals.contains(where: { $0 != .zero }) {
      members.append(.init("normals", data.add(normals: cloud.normals)))
    }
    return JSONValue(.object(members))
  }
}

extension SIMD3<Float> {
  fileprivate var json: JSONValue { [Double(x), Double(y), Double(z)].json }
}
