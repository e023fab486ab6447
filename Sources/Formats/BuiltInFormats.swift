public import MeshPipeline

/// The formats that come with meshpipe, the preferred one of an extension first.
public let builtInFormats: [any Format.Type] = [
  GLB.self,
  GLTF.self,
  OBJ.self,
  PLY.self,
  STL.self,
]
