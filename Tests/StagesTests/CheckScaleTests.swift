import MeshPipeline
import MeshTestSupport
import Testing

@testable import Stages

@Suite struct CheckScaleTests {
  private func parameters(tolerance: Double, stop: Bool = true) throws -> CheckScale.Parameters {
    var parameters = CheckScale.Parameters()
    parameters.markers = [try MarkerSize(json: JSONValue(.string("aruco-6x6-50 5cm")))]
    (parameters.tolerance, parameters.stop) = (tolerance, stop)
    return parameters
  }

  @Test func `a scan within the tolerance passes unchanged, and one beyond it fails`() throws {
    let capture = try MarkerCapture { $0.scale = 0.98 }
    let context = StageContext()
    let checked = try CheckScale(parameters(tolerance: 0.03)).run(capture.scene, in: context)
    #expect(checked == capture.scene)
    #expect(context.warnings.isEmpty)
    #expect(context.notes.contains { $0.key == "scaleFactor" })
    let failure = try #require(throws: ScaleFailure.self) {
      _ = try CheckScale(parameters(tolerance: 0.01)).run(capture.scene, in: StageContext())
    }
    #expect(failure.exitCode == .data)
    #expect(failure.message.hasPrefix("scale 1.0"))
    #expect(failure.message.contains("more than 1 % from 1"))
  }

  @Test func `without 'stop' a wrong scale is a warning`() throws {
    let capture = try MarkerCapture { $0.scale = 0.98 }
    let context = StageContext()
    _ = try CheckScale(parameters(tolerance: 0.01, stop: false)).run(capture.scene, in: context)
    #expect(context.warnings.contains { $0.hasPrefix("failed: scale 1.0") })
  }
}
