import MeshPipeline
import SurfaceKernels

/// Numbers at vertices that a page can show as colours.
enum PageFields {
  private static let codes = 1024
  private static let mostAttributes = 4

  /// The attribute with distances while a model is reduced, which no file has.
  private static let distance = "meshpipe/page/distance"

  /// Gives the vertices of a scene their distances from another one, positive in front of it, so that decimation, which
  /// moves vertices, takes those of the whole model.
  ///
  /// - Parameter other: In the same coordinates; without faces nothing happens.
  static func addDistances(to scene: inout Scene, from other: Scene) throws {
    let (positions, indices) = other.meshes.joinedSurface
    guard !indices.isEmpty, positions.allSatisfy(\.isFinite) else { return }
    let nearest = try NearestSurface(positions: positions, indices: indices)
    for index in scene.meshes.indices {
      let distances = nearest.places(nearestTo: scene.meshes[index].positions).map { place in
        place.distance * (place.side == -1 ? -1 : 1)
      }
      scene.meshes[index].vertexAttributes.append(
        CustomAttribute(distance, values: .float32(distances)))
    }
  }

  /// The distances that were added to a model.
  ///
  /// - Parameter range: The distance at which the colours end, in metres; nil for one that 98 % of the vertices do not exceed.
  /// - Returns: Nil if there are none, or all are 0.
  static func distances(
    of model: PageModel, range: Double?, isShown: Bool, in data: PageData
  ) -> JSONValue? {
    let all = model.scene.meshes.flatMap { mesh in
      mesh.vertexAttributes.first { $0.name == distance }?.values.doubles
        ?? [Double](repeating: .nan, count: mesh.vertexCount)
    }
    let distances = model.surface.sources.map { all[Int($0)] }
    let sizes = distances.filter(\.isFinite).map(abs).sorted()
    guard let largest = sizes.last, largest > 0 else { return nil }
    // The few that are far away, as where something was removed, would take all the colours.
    let range = range ?? max(sizes[(sizes.count - 1) * 98 / 100], largest * 1e-3)
    var members = Self.members(
      "distance", distances, from: -range, to: range, in: data)
    members += [
      .init("isLength", true), .init("isSigned", true), .init("isShown", isShown.json),
      .init(
        "help",
        ("Distance: blue behind the other surface, red in front of it, pale on it; at most "
          + "\(NumberText.fixed(1000 * largest, digits: 2)) mm").json),
    ]
    return JSONValue(.object(members))
  }

  /// Confidences and attributes of the file with one number for each vertex.
  static func attributes(of model: PageModel, in data: PageData) -> [JSONValue] {
    var names: [String] = []
    for mesh in model.scene.meshes {
      for attribute in mesh.vertexAttributes
      where attribute.width == 1 && attribute.name != distance && !names.contains(attribute.name) {
        names.append(attribute.name)
      }
    }
    var fields = names.prefix(mostAttributes).map { name in
      (
        name,
        model.scene.meshes.map { mesh in
          mesh.vertexAttributes.first { $0.name == name && $0.width == 1 }?.values.doubles
        }
      )
    }
    if model.scene.meshes.contains(where: { $0.confidences != nil }) {
      fields.append(("confidence", model.scene.meshes.map { $0.confidences?.map(Double.init) }))
    }
    return fields.compactMap { name, parts in
      let all = zip(model.scene.meshes, parts).flatMap { mesh, part in
        part ?? [Double](repeating: .nan, count: mesh.vertexCount)
      }
      let values = model.surface.sources.map { all[Int($0)] }
      let known = values.filter(\.isFinite)
      guard let low = known.min(), let high = known.max(), low < high else { return nil }
      let members = Self.members(name, values, from: low, to: high, in: data)
      return JSONValue(
        .object(members + [.init("isLength", false), .init("isSigned", false)]))
    }
  }

  private static func members(
    _ name: String, _ values: [Double], from low: Double, to high: Double, in data: PageData
  ) -> [JSONValue.Member] {
    let section = data.add(count: values.count) { index, _ in
      guard values[index].isFinite else { return 0 }
      let share = min(max((values[index] - low) / (high - low), 0), 1)
      return 1 + Int((share * Double(codes - 2)).rounded())
    }
    return [
      .init("name", name.json), .init("minimum", JSONValue(.number(low))),
      .init("maximum", JSONValue(.number(high))), .init("codes", codes.json),
      .init("data", section),
    ]
  }
}
