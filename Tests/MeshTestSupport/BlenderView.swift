import Foundation

/// What Blender shows of a file that is opened with its default settings: world space, metres, Z up.
///
/// Tests that use it bear the trait `.needs("bpy")`. One call for several files is quicker than
/// several calls: Blender starts once.
package struct BlenderView: Decodable, Sendable {
  /// The faces that point in one direction.
  package struct Facing: Decodable, Sendable {
    package var area: Double
    /// Where on the direction's axis half of the area is reached; nil without faces.
    package var place: Double?
  }

  /// A picture that is the base colour of a material.
  package struct Texture: Decodable, Sendable {
    package var name: String
    /// Width and height in pixels.
    package var size: [Int]
    /// Whether Blender found and decoded it.
    package var isLoaded: Bool
    /// Where its file is; nil when it is within the model.
    package var path: String?
    package var colorSpace: String
  }

  /// What a triangle or a vertex shows.
  package struct Sample: Decodable, Sendable {
    /// A point of the triangle, or the vertex.
    package var point: [Double]
    /// The colour there, as sRGB codes from 0 to 255.
    package var color: [Double]
  }

  package var objects: [String]
  package var materials: [String]
  package var images: [String]
  package var faces: Int
  package var vertices: Int
  /// Whether all faces are triangles.
  package var triangles: Bool
  package var hasTextureCoordinates: Bool
  package var hasColors: Bool
  /// The corners of the box around everything; nil when there is nothing.
  package var low: [Double]?
  package var high: [Double]?
  /// By direction: `+x -x +y -y +z -z`.
  package var facing: [String: Facing]

  /// The pictures of the materials; nil unless colours were asked for.
  package var textures: [Texture]?
  /// One for each triangle with a texture; nil unless colours were asked for.
  package var samples: [Sample]?
  /// One for each vertex or corner with a colour of its own; nil unless colours were asked for.
  package var vertexColors: [Sample]?

  /// By material and input: the pictures it comes from, with channel and colour space; nil unless
  /// links were asked for.
  package var links: [String: [String: String]]?

  /// The lengths of the box's edges along x, y and z.
  package var size: [Double] {
    guard let low, let high else { return [0, 0, 0] }
    return zip(low, high).map { $1 - $0 }
  }

  /// Opens files.
  ///
  /// - Parameters:
  ///   - withColors: Whether to look up what textures show.
  ///   - withLinks: Whether to look up what materials are made of.
  /// - Throws: ``ProgramFailure``, or ``CannotOpen`` for a file that Blender does not open.
  package static func opening(
    _ paths: [String], withColors: Bool = false, withLinks: Bool = false
  ) throws -> [BlenderView] {
    struct Refusal: Decodable {
      var path: String
      var error: String?
    }
    let options = (withColors ? ["--colors"] : []) + (withLinks ? ["--links"] : [])
    let json = Data(try Checkers.run("Tools/checks/blender.py", options + paths).utf8)
    for refusal in try JSONDecoder().decode([Refusal].self, from: json) {
      if let error = refusal.error { throw CannotOpen(path: refusal.path, reason: error) }
    }
    return try JSONDecoder().decode([BlenderView].self, from: json)
  }

  /// A file that Blender does not open, and what it says.
  package struct CannotOpen: Error {
    package var path: String
    package var reason: String
  }
}
