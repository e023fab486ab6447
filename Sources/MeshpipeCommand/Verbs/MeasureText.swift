import MeshpipeKit

/// The tables of 'info --measures'.
enum MeasureText {
  static func text(of measures: SceneMeasurement) -> String {
    var lines = ["measures"]
    if let noPlan = measures.noPlan {
      lines += TextLayout.table([["plan", noPlan]], indent: 2)
    }
    for storey in measures.storeys { lines += rows(of: storey) }
    let closed = measures.meshes.contains { $0.volume != nil }
    let rows = measures.meshes.prefix(mostMeshes).map { mesh in
      [
        mesh.name.isEmpty ? "(unnamed)" : mesh.name, NumberText.fixed(mesh.area, digits: 3),
        mesh.volume.map { NumberText.fixed($0, digits: 6) } ?? "not closed",
      ]
    }
    if closed || measures.noPlan != nil, !rows.isEmpty {
      let more = measures.meshes.count - rows.count
      lines += table([["mesh", "area m2", "volume m3"]] + rows)
      if more > 0 { lines.append("  and \(more) more") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let mostMeshes = 20

  private static func rows(of storey: BuildingMeasures.Storey) -> [String] {
    let height =
      storey.height.isAssumed
      ? "\(NumberText.fixed(storey.height.value, digits: 3)) m high (assumed)"
      : "\(length(storey.height)) m high"
    var lines = ["", "  \(storey.name), \(height)"]
    if !storey.rooms.isEmpty {
      let rooms = storey.rooms.map { room in
        [
          room.name, number(room.area, digits: 2), length(room.height),
          NumberText.fixed(room.volume, digits: 2), NumberText.fixed(room.perimeter, digits: 2),
        ]
      }
      let volume = storey.rooms.reduce(0) { $0 + $1.volume }
      let sum = [
        "together", NumberText.fixed(storey.floorArea, digits: 2), "",
        NumberText.fixed(volume, digits: 2), "",
      ]
      lines += table(
        [["room", "area m2", "height m", "volume m3", "perimeter m"]] + rooms
          + (rooms.count > 1 ? [sum] : []))
    }
    if !storey.walls.isEmpty {
      let walls = storey.walls.map { wall in
        [
          wall.name, length(wall.length), length(wall.height), length(wall.thickness),
          NumberText.fixed(wall.grossArea, digits: 2), NumberText.fixed(wall.area, digits: 2),
        ]
      }
      lines += table(
        [["wall", "length m", "height m", "thickness m", "area m2", "less openings m2"]] + walls)
    }
    guard !storey.openings.isEmpty else { return lines }
    let openings = storey.openings.map { opening in
      [
        opening.name, opening.wall, length(opening.width), length(opening.height),
        length(opening.sill), NumberText.fixed(opening.area, digits: 2),
      ]
    }
    return lines
      + table(
        [["opening", "in", "width m", "height m", "sill m", "area m2"]] + openings, names: 2)
  }

  /// - Parameter names: The number of columns with names, before those with numbers.
  private static func table(_ rows: [[String]], names: Int = 1) -> [String] {
    let columns = rows.map(\.count).max() ?? 0
    return [""] + TextLayout.table(rows, right: Set(0..<columns).subtracting(0..<names), indent: 2)
  }

  private static func length(_ dimension: Building.Dimension) -> String {
    number(dimension, digits: 3)
  }

  /// `3.412 ± 0.004`, or `0.100 assumed`.
  private static func number(_ dimension: Building.Dimension, digits: Int) -> String {
    let value = NumberText.fixed(dimension.value, digits: digits)
    guard let uncertainty = dimension.uncertainty else { return "\(value) assumed" }
    return "\(value) ± \(NumberText.fixed(uncertainty, digits: digits))"
  }
}
