package import MeshpipeScene

/// Statistics of how texture coordinates use their textures.
package struct TextureHealth: Sendable, Equatable {
  /// Faces with a texture coordinate outside 0 to 1, or not finite.
  package var outOfRangeFaces = 0
  /// The share of the area of textures in use that more than one face uses, from 0 to 1.
  package var overlap = 0.0
  /// The texels on one unit of length of the surface: the root of texels per area; nil without
  /// textures of known size.
  package var density: Double?

  /// The texels along each side of the raster that finds overlaps.
  private static let rasterSize = 1024

  /// Examines the faces of all meshes of a scene that have texture coordinates.
  ///
  /// Overlaps are found on a raster for each texture, so that those of less than a thousandth of the
  /// picture's width are not.
  /// - Complexity: O(faces + their area in rasters).
  package init(_ scene: borrowing Scene) {
    let sizes = scene.textures.map(\.pixelSize)
    var rasters: [Int: UsedTexels] = [:]
    var (texels, area) = (0.0, 0.0)
    for mesh in scene.meshes {
      guard let coordinates = mesh.textureCoordinates else { continue }
      for face in 0..<mesh.faceCount {
        let corners = (0..<3).map { coordinates[3 * face + $0] }
        guard corners.allSatisfy({ 0...1 ~= $0.x && 0...1 ~= $0.y }) else {
          outOfRangeFaces += 1
          continue
        }
        let material = mesh.faceMaterials.map { Int($0[face]) }
        let texture = material.flatMap { scene.materials[$0].baseColorTexture } ?? -1
        rasters[texture, default: UsedTexels(size: Self.rasterSize)].add(corners)
        guard sizes.indices.contains(texture), let size = sizes[texture] else { continue }
        let surface = mesh.area(ofFace: face)
        guard surface.isFinite, surface > 0 else { continue }
        texels += Self.area(corners) * Double(size.x) * Double(size.y)
        area += surface
      }
    }
    density = area > 0 ? (texels / area).squareRoot() : nil
    let used = rasters.values.reduce(0) { $0 + $1.used }
    overlap = used > 0 ? Double(rasters.values.reduce(0) { $0 + $1.shared }) / Double(used) : 0
  }

  private static func area(_ corners: [Vector2]) -> Double {
    let (a, b, c) = (corners[0], corners[1], corners[2])
    return Double(abs((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x))) / 2
  }
}

/// The texels of a raster whose centres are in one face, and in more.
private struct UsedTexels {
  private let size: Int
  private var faces: [UInt8]
  private(set) var used = 0
  private(set) var shared = 0

  init(size: Int) {
    self.size = size
    faces = [UInt8](repeating: 0, count: size * size)
  }

  /// Adds a face whose coordinates are from 0 to 1; a centre on a common edge is in one face only.
  mutating func add(_ corners: [Vector2]) {
    let points = corners.map { SIMD2(Double($0.x), Double($0.y)) * Double(size) - 0.5 }
      .sorted { ($0.y, $0.x) < ($1.y, $1.x) }
    let sides = [(points[0], points[1]), (points[1], points[2]), (points[0], points[2])]
    let first = Int(max(0, points[0].y.rounded(.up)))
    for row in first..<max(first, Int(points[2].y.rounded(.up)) + 1) {
      let y = Double(row)
      let crossings = sides.filter { ($0.0.y < y) != ($0.1.y < y) }.map { low, high in
        low.x + (y - low.y) / (high.y - low.y) * (high.x - low.x)
      }
      guard row < size, let start = crossings.min(), let end = crossings.max() else { continue }
      let columns = Int(max(0, start.rounded(.up)))
      for column in columns..<max(columns, min(size, Int(end.rounded(.up)))) {
        count(size * row + column)
      }
    }
  }

  private mutating func count(_ index: Int) {
    if faces[index] == 0 { used += 1 }
    if faces[index] == 1 { shared += 1 }
    faces[index] = min(2, faces[index] + 1)
  }
}
