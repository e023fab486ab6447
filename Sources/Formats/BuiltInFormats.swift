public import MeshPipeline

/// The formats that come with meshpipe, the preferred one of an extension first.
public let builtInFormats: [any Format.Type] = [
  GLB.self,
  GLTF.self,
  OBJ.self,
  PLY.self,
  STL.self,
  FBX.self,
  COLLADA.self,
  X3D.self,
  ThreeDS.self,
  ThreeMF.self,
  DirectX.self,
  Assbin.self,
  STEP.self,
  OFF.self,
  DXF.self,
  AMF.self,
  IFC.self,
  LightWave.self,
  ASE.self,
  AC3D.self,
  OtherModels.self,
  TransformsJSON.self,
  COLMAPModel.self,
  FramesJSONL.self,
]
