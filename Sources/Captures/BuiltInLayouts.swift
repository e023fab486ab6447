public import MeshPipeline
import Photogrammetry

/// The capture layouts that come with meshpipe, in the order in which a folder is tried: the one shared
/// line that a new layout touches.
public let builtInLayouts: [any CaptureLayout.Type] = [
  FramesBundle.self, Polycam.self, ScannerApp.self, TransformsFile.self, StrayScanner.self,
  Record3D.self, ARKitScenes.self, COLMAP.self,
]

/// Finds and reads captures of the built-in layouts, and compares them with the mesh.
public let builtInCaptures = CaptureReader(
  builtInLayouts, fitting: PoseFitting.self, isArchive: { CaptureArchive.stem(of: $0) != nil })
