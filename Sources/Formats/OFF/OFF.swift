public import MeshPipeline

/// Object File Format: vertices and polygons, originally by Geomview.
public enum OFF: Format {
  public static let id = "off"
  public static let name = "Object File Format"
  public static let extensions = ["off"]
}
