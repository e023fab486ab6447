public import MeshPipeline

/// Stereolithography triangles, ASCII and binary.
public enum STL: Format {
  public static let id = "stl"
  public static let name = "STL"
  public static let extensions = ["stl"]
}
