import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// What Pixar's library finds in a USD file; tests that use it bear the trait `.needs("pxr")`.
struct USDView: Decodable {
  struct Primvar: Decodable {
    var interpolation: String
    var count: Int
    var values: [[Double]]
  }

  struct Names: Decodable {
    var interpolation: String
    var values: [String]
  }

  struct Subset: Decodable {
    var name: String
    var family: String
    var faces: [Int]
    var material: String?
    var `class`: String?
  }

  struct Mesh: Decodable {
    var name: String
    /// The extent in the file, and what the library computes.
    var box: [[[Double]]]
    var points: Int
    var faces: Int
    var corners: Int
    var isValid: Bool
    var subdivision: String
    var isDoubleSided: Bool
    var st: Primvar?
    var st1: Primvar?
    var colors: Primvar?
    var opacities: Primvar?
    var material: String?
    var subsets: [Subset]
  }

  struct Points: Decodable {
    var name: String
    var box: [[[Double]]]
    var points: Int
    var width: Double
    var colors: Primvar?
    var classes: Names?
  }

  /// An input of a surface: a text about what is connected, a number or several.
  enum Input: Decodable, Equatable {
    case text(String)
    case numbers([Double])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self = .text(text)
      } else if let number = try? container.decode(Double.self) {
        self = .numbers([number])
      } else {
        self = .numbers(try container.decode([Double].self))
      }
    }
  }

  var faults: [String]
  /// Of the layer as Pixar's library writes it.
  var digest: String
  var root: String
  var upAxis: String
  var unit: Double
  var low: [Double]
  var high: [Double]
  var meshes: [Mesh]
  var points: [Points]
  var materials: [String: [String: Input]]

  static func opening(_ paths: [String]) throws -> [USDView] {
    let json = Data(try Checkers.run("Tools/checks/usd.py", paths).utf8)
    return try JSONDecoder().decode([USDView].self, from: json)
  }
}

/// Writes a scene in all three forms: text, crate and package.
func writeUSD(
  _ scene: Scene, to folder: TemporaryFolder, named name: String = "room"
) throws -> [String] {
  try ["usda", "usdc", "usdz"].map { ending in
    let format = try #require(FormatRegistry(builtInFormats).writer(id: ending))
    let output = OutputSet(folder: folder.path, mainFileName: "\(name).\(ending)")
    try format.write(scene, to: output, in: WritingContext())
    return output.mainPath
  }
}
