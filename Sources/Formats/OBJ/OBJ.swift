public import MeshPipeline

/// Wavefront OBJ with its material libraries.
public enum OBJ: Format {
  public static let id = "obj"
  public static let name = "Wavefront OBJ"
  public static let extensions = ["obj"]
}
