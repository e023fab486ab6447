import MeshPipeline
import Photogrammetry

extension UnseenArea {
  /// Adds the shares to the report, and warns if hardly anything is seen.
  ///
  /// - Parameter calibration: For finding the reason.
  func report(_ calibration: FrameCalibration, to context: StageContext) {
    context.note("unseenShare", Self.json(share))
    if let sharesByClass {
      let members = sharesByClass.sorted { $0.key < $1.key }.map { name, share in
        JSONValue.Member(name, Self.json(share))
      }
      context.note("unseenByClass", JSONValue(.object(members)))
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
