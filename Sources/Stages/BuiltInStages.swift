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
  DetectShapes.self,
  FillHoles.self,
  FilterClassification.self,
  FilterPoints.self,
  Flatten.self,
  FuseDepth.self,
  Inspect.self,
  LabelFromRoom.self,
  MakeSolid.self,
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
  "write-frames": "frames are written by an output: transforms.json, images.txt or frames.jsonl",
  "section": cutting, "cross-section": cutting, "slice": cutting, "floor-plan": cutting,
]

private let cutting =
  "did you mean 'crop' with 'mode=cut'? It cuts a model open; drawings of the section are not made"
