public import MeshPipeline

/// glTF 2.0 as a JSON file with separate buffers and images.
public enum GLTF: Format {
  public static let id = "gltf"
  public static let name = "glTF 2.0"
  public static let extensions = ["gltf"]
}
