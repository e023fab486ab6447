import Foundation

/// What trimesh finds in a file, its node transforms applied, nothing merged or mended.
///
/// Tests that use it bear the trait `.needs("trimesh")`; one call for several files is quicker.
package struct ModelView: Decodable, Sendable {
  package struct Mesh: Decodable, Sendable {
    package var name: String
    package var vertices: Int
    package var faces: Int
    package var area: Double
    package var material: String?
    /// Width and height of the picture of its material.
    package var picture: [Int]?
    /// What its material is made of beside its base colour, if the file is glTF.
    package var surface: Surface?
    /// The corners of the box around the texture coordinates, from the lower left corner.
    package var uvBounds: [[Double]]?
    package var colorMean: [Double]?
    package var normalMean: [Double]?
  }

  /// A material of glTF, with the first texel of each of its maps, as codes from 0 to 255.
  package struct Surface: Decodable, Sendable {
    package var metallicRoughness: [Int]?
    package var occlusion: [Int]?
    package var emissiveTexture: [Int]?
    /// Of metalness and roughness.
    package var factors: [Double?]
    package var emissive: [Double]?
    package var alphaMode: String?
    package var alphaCutoff: Double?
  }

  package var faces: Int
  package var area: Double
  package var bounds: [[Double]]
  package var meshes: [Mesh]

  package var low: [Double] { bounds[0] }
  package var high: [Double] { bounds[1] }

  /// Opens files.
  ///
  /// - Throws: ``ProgramFailure`` when one can't be read.
  package static func opening(_ paths: [String]) throws -> [ModelView] {
    let json = Data(try Checkers.run("Tools/checks/models.py", paths).utf8)
    let views = try JSONDecoder().decode([String: ModelView].self, from: json)
    return paths.compactMap { views[$0] }
  }
}
