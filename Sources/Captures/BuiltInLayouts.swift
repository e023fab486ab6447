package import MeshPipeline

/// The built-in capture layouts, in the order in which a folder is checked: the only shared line
/// that a new layout changes.
package let builtInLayouts: [any CaptureLayout.Type] = [
  FramesBundle.self, Polycam.self, ScannerApp.self, TransformsFile.self, StrayScanner.self,
  Record3D.self, ARKitScenes.self, COLMAP.self, Photographs.self,
]
