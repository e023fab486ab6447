// Users of the library need a single import.
@_exported public import MeshpipeBase
@_exported public import MeshpipeScene
