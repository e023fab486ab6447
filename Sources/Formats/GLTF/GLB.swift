public import MeshPipeline

/// glTF 2.0 in one binary file.
public enum GLB: Format {
  public static let id = "glb"
  public static let name = "Binary glTF 2.0"
  public static let extensions = ["glb"]
}
