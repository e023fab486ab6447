import MeshPipeline

/// Universal Scene Description in one file with its textures, as AR Quick Look opens it.
package enum USDZ: Format {
  package static let id = "usdz"
  package static let name = "USDZ package"
  package static let extensions = ["usdz"]
}
