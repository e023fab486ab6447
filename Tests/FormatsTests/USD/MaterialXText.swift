import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Documents of MaterialX, and a mesh whose materials are in one.
enum MaterialXText {
  static let mesh = """
    def Mesh "m" {
      int[] faceVertexCounts = [3]
      int[] faceVertexIndices = [0, 1, 2]
      point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
      texCoord2f[] primvars:st = [(0, 0), (1, 0), (1, 1)] (interpolation = "vertex")
      uniform token subdivisionScheme = "none"
      rel material:binding = </Looks/Paint>
    }
    """

  static func document(
    _ nodes: String, _ attributes: String = "colorspace=\"lin_rec709\""
  ) -> String {
    """
    <?xml version="1.0"?>
    <materialx version="1.38" \(attributes)>
      \(nodes)
      <surfacematerial name="Paint" type="material">
        <input name="surfaceshader" type="surfaceshader" nodename="S" />
      </surfacematerial>
    </materialx>
    """
  }

  static func image(_ name: String, _ type: String, _ file: String) -> String {
    """
    <image name="\(name)" type="\(type)">
      <input name="file" type="filename" value="\(file)" />
    </image>
    """
  }

  /// A surface whose colour is what a node gives.
  static func surface(coloredBy node: String) -> String {
    """
    <standard_surface name="S" type="surfaceshader">
      <input name="base_color" type="color3" nodename="\(node)" />
    </standard_surface>
    """
  }
}

extension Reading {
  /// Reads a mesh whose materials are in a document beside other files.
  init(
    materialX document: String, _ others: [(String, String)] = [], over: String = ""
  ) throws {
    let folder = try TemporaryFolder()
    let pictures = ["tex/color.png", "tex/rough.png", "tex/metal.png", "tex/normal.png"]
    for (place, name) in pictures.enumerated() {
      try folder.write(name, SceneFixtures.picture + [UInt8](repeating: 0, count: place))
    }
    try folder.write("paint.mtlx", document)
    for (name, text) in others { try folder.write(name, text) }
    self = try withExtendedLifetime(folder) {
      try Reading(
        folder.write(
          "a.usda",
          """
          #usda 1.0
          def "Looks" (references = @./paint.mtlx@</MaterialX/Materials>) { \(over) }
          \(MaterialXText.mesh)
          """))
    }
  }

  /// The material of the first face.
  func firstMaterial() throws -> Material {
    let index = try #require(scene.meshes.first?.faceMaterials?.first)
    return scene.materials[Int(index)]
  }

  func fileName(of texture: Int?) -> String? { texture.map { scene.textures[$0].fileName } }
}
