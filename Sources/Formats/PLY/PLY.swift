public import MeshPipeline

/// The Stanford polygon file format, ASCII and binary.
public enum PLY: Format {
  public static let id = "ply"
  public static let name = "Stanford PLY"
  public static let extensions = ["ply"]
}
