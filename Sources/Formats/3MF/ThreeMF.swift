public import MeshPipeline

/// 3D Manufacturing Format, for slicers and print services.
///
/// Specifications of the 3MF Consortium: core 1.3, materials and properties 1.2, production 1.1.
public enum ThreeMF: Format {
  public static let id = "3mf"
  public static let name = "3D Manufacturing Format"
  public static let extensions = ["3mf"]
}
