public import MeshPipeline

/// The built-in stages: the only shared line that a new stage changes.
public let builtInStages: [any Stage.Type] = [
  BakeColors.self,
  BakeMaps.self,
  BakeTexture.self,
  Center.self,
  CheckCapture.self,
  ClassifyPlanes.self,
  Clean.self,
  Compare.self,
  ComputeNormals.self,
  ConvertAxes.self,
  Crop.self,
  CropToObject.self,
  Decimate.self,
  DetectRooms.self,
  DetectShapes.self,
  FillHoles.self,
  FilterClassification.self,
  FilterPoints.self,
  Flatten.self,
  FuseDepth.self,
  Inspect.self,
  LabelFromRoom.self,
  MakeSolid.self,
  Measure.self,
  Merge.self,
  MergeFeatures.self,
  MergeMaterials.self,
  PointsFromDepth.self,
  ReconstructSurface.self,
  RefineMesh.self,
  RefinePoses.self,
  Remesh.self,
  RemoveFragments.self,
  ReportCoverage.self,
  ResizeTextures.self,
  SamplePoints.self,
  SectionScene.self,
  SelectFrames.self,
  Smooth.self,
  Split.self,
  ThinPoints.self,
  TransformScene.self,
  Unwrap.self,
  Weld.self,
]

/// Advice for names that users may look for and that are not stages, by name.
package let absentStages = [
  "write-frames": "frames are written by an output: transforms.json, images.txt or frames.jsonl"
]
