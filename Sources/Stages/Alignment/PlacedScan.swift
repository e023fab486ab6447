import MeshPipeline
import POSIX
import SurfaceKernels

/// What was found of the place of one scan, for the report.
struct PlacedScan {
  let name: String
  /// Nil where it fits nowhere.
  let placement: SurfaceNetwork.Placement?
  let refusal: SurfaceRegistration.Verdict
  /// How far its middle was moved, in units of the scans.
  let shift: Double
  let metersPerUnit: Double
  let up: SIMD3<Double>

  /// The angle about the vertical, counter-clockwise from above, and that by which it was tilted besides.
  private func angles(of transform: Transform) -> (turn: Angle, tilt: Angle) {
    let tilted = transform.apply(toVector: up)
    let tilt = atan2(up.cross(tilted).length, up.dot(tilted))
    // The image of a level direction, seen from above.
    let side: SIMD3<Double> = abs(up.x) < 0.9 ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0)
    let level = up.cross(side).normalized
    let image = transform.apply(toVector: level)
    let turn = atan2(image.dot(up.cross(level)), image.dot(level))
    return (Angle(radians: turn), Angle(radians: tilt))
  }

  var json: JSONValue {
    guard let placement else {
      return ["scan": name.json, "fits": false, "reason": refusal.reason.json]
    }
    let (turn, tilt) = angles(of: placement.transform)
    return JSONValue(
      .object([
        .init("scan", name.json), .init("fits", true),
        .init("turn", turn.degrees.json(digits: 4)), .init("tilt", tilt.degrees.json(digits: 4)),
        .init("shift", (shift * metersPerUnit).json(digits: 5)),
        .init("overlap", placement.overlap.json(digits: 4)),
        .init("residual", (placement.residual * metersPerUnit).json(digits: 5)),
        .init(
          "turnDeviation", Angle(radians: placement.deviation.turn).degrees.json(digits: 4)),
        .init("shiftDeviation", (placement.deviation.shift * metersPerUnit).json(digits: 5)),
        .init("matrix", placement.transform.matrixJSON),
      ]))
  }
}

extension Transform {
  /// Its matrix, row by row, for a report.
  var matrixJSON: JSONValue {
    JSONValue(.array(rows.joined().map { $0.json(digits: 12) }))
  }
}

extension SurfaceRegistration.Verdict {
  /// Why a scan fits nowhere, as the end of a sentence.
  var reason: String {
    switch self {
    case .fits: "it fits another scan that is left out as well"
    case .isApart: "it has too little in common with the others"
    case .contradicts:
      "in the best place that was found, one shows surfaces where another shows free space"
    case .isAmbiguous: "it fits in more than one place equally well"
    case .slides: "it slides along the others: nothing in the overlap holds it in one direction"
    }
  }
}
