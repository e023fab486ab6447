import Foundation

/// What trimesh finds in a file, its node transforms applied, nothing merged or mended.
///
/// Tests that use it bear the trait `.needs("trimesh")`; one call for several files is quicker.
public struct ModelView: Decodable, Sendable {
  public struct Mesh: Decodable, Sendable {
    public var name: String
    public var vertices: Int
    public var faces: Int
    public var area: Double
    public var material: String?
    /// Width and height of the picture of its material.
    public var picture: [Int]?
    /// The corners of the box around the texture coordinates, from the lower left corner.
    public var uvBounds: [[Double]]?
    public var colorMean: [Double]?
    public var normalMean: [Double]?
  }

  public var faces: Int
  public var area: Double
  public var bounds: [[Double]]
  public var meshes: [Mesh]

  public var low: [Double] { bounds[0] }
  public var high: [Double] { bounds[1] }

  /// Opens files.
  ///
  /// - Throws: ``ProgramFailure`` when one can't be read.
  public static func opening(_ paths: [String]) throws -> [ModelView] {
    let json = Data(try Checkers.run("Tools/checks/models.py", paths).utf8)
    let views = try JSONDecoder().decode([String: ModelView].self, from: json)
    return paths.compactMap { views[$0] }
  }
}
