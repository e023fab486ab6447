import MeshPipeline

/// The point cloud data of PCL, as text, binary or compressed.
package enum PCD: Format {
  package static let id = "pcd"
  package static let name = "PCL point cloud"
  package static let extensions = ["pcd"]
}
