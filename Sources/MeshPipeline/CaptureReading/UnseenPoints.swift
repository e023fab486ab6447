import MeshpipeBase
import MeshpipeScene

extension ReadingContext {
  /// Warns of points at exactly 0 0 0, which scanners write where they saw nothing.
  func warn(ofUnseenPointsIn scene: borrowing Scene, from path: String) {
    let count = scene.unseenPointCount
    guard count > 0 else { return }
    stage.warn(
      "\(FileSystem.name(of: path)): points at exactly 0 0 0 beside a cloud that is elsewhere "
        + "(\(NumberText.grouped(count))) are what scanners write where they saw nothing; filters of points remove them"
    )
  }
}
