import MeshPipeline

/// 3D Manufacturing Format, for slicers and print services.
///
/// Specifications of the 3MF Consortium: core 1.3, materials and properties 1.2, production 1.1.
package enum ThreeMF: Format {
  package static let id = "3mf"
  package static let name = "3D Manufacturing Format"
  package static let extensions = ["3mf"]
}
