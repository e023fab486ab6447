public import MeshPipeline

/// The built-in formats, the preferred one of an extension first.
public let builtInFormats: [any Format.Type] = [
  // Before glTF, which is JSON, too.
  RoomPlan.self,
  GLB.self,
  GLTF.self,
  OBJ.self,
  PLY.self,
  STL.self,
  OFF.self,
  MeshScene.self,
  FBX.self,
  COLLADA.self,
  X3D.self,
  ThreeDS.self,
  ThreeMF.self,
  DirectX.self,
  Assbin.self,
  STEP.self,
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
  ShapesJSON.self,
]
