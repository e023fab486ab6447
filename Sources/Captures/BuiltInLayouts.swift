public import MeshPipeline
import Photogrammetry

/// The built-in capture layouts, in the order in which a folder is checked: the only shared line
/// that a new layout changes.
package let builtInLayouts: [any CaptureLayout.Type] = [
  FramesBundle.self, Polycam.self, ScannerApp.self, TransformsFile.self, StrayScanner.self,
  Record3D.self, ARKitScenes.self, COLMAP.self,
]

/// Finds and reads captures of the built-in layouts, and compares them with the mesh.
public let builtInCaptures = CaptureReader(
  builtInLayouts, checking: FrameCheck.self, fitting: PoseFitting.self,
  isArchive: { CaptureArchive.stem(of: $0) != nil })
