/// The findings of comparing the frames with the mesh, as far as this got.
package struct FitFindings: Sendable, Equatable {
  /// The name of the world in which the frames fit the mesh; nil for that of their files.
  package internal(set) var world: String?
  /// Why that world was chosen, if files declare it; nil if they don't.
  package internal(set) var worldReason: String?
  /// The share of the measured depths that are on the mesh; nil if nothing was measured.
  package internal(set) var depthOnMesh: Double?
  /// The distance of the mesh before the measured depths, in metres; nil if nothing was measured.
  package internal(set) var depthOffset: Double?
  /// The distance of the mesh from where all depth maps show it, in metres, so that all frames were moved onto it; nil
  /// if they were not moved.
  package internal(set) var meshOffset: Double?
  /// The number of frames that were clearly off the mesh, so that all were moved onto it; nil if there were none.
  package internal(set) var framesOffMesh: Int?
  /// The longest such motion, in metres.
  package internal(set) var greatestShift: Double?
  /// The share of the frames that see the mesh.
  package internal(set) var seeingMesh: Double?
  /// The mean correlation of images at the same points of the mesh; nil if none could be compared.
  package internal(set) var imageCorrelation: Double?
  /// The factor by which the focal length of all frames was corrected; nil if it was not.
  package internal(set) var focalScale: Double?
  /// The radial distortion k1 that was added to the lens of all frames; nil if none was.
  package internal(set) var radialDistortion: Double?
  /// The factor by which the positions of all frames were corrected; nil if they were not.
  package internal(set) var positionScale: Double?
  /// The names of frames that don't belong to the mesh.
  package internal(set) var leftOut: [String] = []
}
