import MeshPipeline
import Photogrammetry

extension UnseenArea {
  /// Adds the shares to the report, and warns if hardly anything is seen.
  ///
  /// - Parameters:
  ///   - calibration: For finding the reason.
  ///   - least: The share that frames must see.
  /// - Throws: ``BakingFailure`` if they see less.
  func report(
    _ calibration: FrameCalibration, atLeast least: Double, to context: StageContext
  ) throws(BakingFailure) {
    context.note("unseenShare", Self.json(share))
    if let sharesByClass {
      let members = sharesByClass.sorted { $0.key < $1.key }.map { name, share in
        JSONValue.Member(name, Self.json(share))
      }
      context.note("unseenByClass", JSONValue(.object(members)))
    }
    if 1 - share < least {
      throw .hardlySeen(1 - share, least: least, UnseenReason(calibration).sentence)
    }
    guard isSuspicious else { return }
    let percent = ((1 - share) * 1000).rounded() / 10
    context.warn(
      "the frames see only \(NumberText.shortest(percent)) % of the mesh: "
        + UnseenReason(calibration).sentence)
  }

  private static func json(_ share: Double) -> JSONValue {
    share.json(digits: 4)
  }
}
