import Foundation

/// What Blender shows of a file that is opened with its default settings: world space, metres, Z up.
///
/// Tests that use it bear the trait `.needs("bpy")`. One call for several files is quicker than
/// several calls: Blender starts once.
public struct BlenderView: Decodable, Sendable {
  /// The faces that point in one direction.
  public struct Facing: Decodable, Sendable {
    public var area: Double
    /// Where on the direction's axis half of the area is reached; nil without faces.
    public var place: Double?
  }

  /// A picture that is the base colour of a material.
  public struct Texture: Decodable, Sendable {
    public var name: String
    /// Width and height in pixels.
    public var size: [Int]
    /// Whether Blender found and decoded it.
    public var isLoaded: Bool
    /// Where its file is; nil when it is within the model.
    public var path: String?
    public var colorSpace: String
  }

  /// What a triangle or a vertex shows.
  public struct Sample: Decodable, Sendable {
    /// A point of the triangle, or the vertex.
    public var point: [Double]
    /// The colour there, as sRGB codes from 0 to 255.
    public var color: [Double]
  }

  public var objects: [String]
  public var materials: [String]
  public var images: [String]
  public var faces: Int
  public var vertices: Int
  /// Whether all faces are triangles.
  public var triangles: Bool
  public var hasTextureCoordinates: Bool
  public var hasColors: Bool
  /// The corners of the box around everything; nil when there is nothing.
  public var low: [Double]?
  public var high: [Double]?
  /// By direction: `+x -x +y -y +z -z`.
  public var facing: [String: Facing]

  /// The pictures of the materials; nil unless colours were asked for.
  public var textures: [Texture]?
  /// One for each triangle with a texture; nil unless colours were asked for.
  public var samples: [Sample]?
  /// One for each vertex or corner with a colour of its own; nil unless colours were asked for.
  public var vertexColors: [Sample]?

  /// The lengths of the box's edges along x, y and z.
  public var size: [Double] {
    guard let low, let high else { return [0, 0, 0] }
    return zip(low, high).map { $1 - $0 }
  }

  /// Opens files.
  ///
  /// - Parameter withColors: Whether to look up what textures show.
  /// - Throws: ``ProgramFailure``, or ``CannotOpen`` for a file that Blender does not open.
  public static func opening(
    _ paths: [String], withColors: Bool = false
  ) throws -> [BlenderView] {
    struct Refusal: Decodable {
      var path: String
      var error: String?
    }
    let options = withColors ? ["--colors"] : []
    let json = Data(try Checkers.run("Tools/checks/blender.py", options + paths).utf8)
    for refusal in try JSONDecoder().decode([Refusal].self, from: json) {
      if let error = refusal.error { throw CannotOpen(path: refusal.path, reason: error) }
    }
    return try JSONDecoder().decode([BlenderView].self, from: json)
  }

  /// A file that Blender does not open, and what it says.
  public struct CannotOpen: Error {
    public var path: String
    public var reason: String
  }
}
