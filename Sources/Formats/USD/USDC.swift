import MeshPipeline

/// Universal Scene Description as a binary *crate*.
package enum USDC: Format {
  package static let id = "usdc"
  package static let name = "USD crate"
  package static let extensions = ["usdc", "usd"]
}
