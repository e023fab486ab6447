import MeshpipeKit
import ReportPage

/// A page with a model to turn, instead of an image of it.
struct PreviewPage {
  let output: String
  /// The capture whose cameras and photographs the page shows too.
  let compared: String?

  /// - Returns: Nil if an image is asked for.
  init?(_ invocation: Invocation) throws {
    guard let output = invocation.value(of: .picture),
      invocation.has(.html) || ReportPage.isPath(output)
    else { return nil }
    try invocation.exclude(\.$replacesReadOnly, \.$keepsExisting)
    let others: [Option] = [
      .view, .size, .orthographic, .scale, .dotsPerInch, .turntable, .shading, .colors, .sides,
      .edges, .background, .frame, .difference,
    ]
    if let other = others.first(where: { invocation.has($0) }) {
      throw UsageError(
        "'\(other.name)' is for images; in a page the one who opens it chooses",
        verb: invocation.verb)
    }
    try ReportPage.requireLibrary()
    self.output = output
    compared = invocation.value(of: .compare)
  }

  /// The page of a model.
  ///
  /// - Parameter name: The model's.
  func page(of scene: Scene, name: String, _ invocation: Invocation) throws -> ReportPage {
    guard !scene.features.isDisjoint(with: [.faces, .points]) else { throw EmptyScene() }
    var run = ReportedRun(title: name)
    run.after = (scene, name)
    if scene.capture?.frames.isEmpty == false {
      run.agreement = try PhotographAgreement(scene) {
        try Signals.cancellation.checkCancellation()
      }
    }
    return try ReportPage([run], title: name, invocation)
  }
}

extension Option {
  static let html = Option(
    "--html", in: .output,
    help:
      "Write a page of HTML with the model to turn and measure, as -o NAME.html does; with --compare, also the cameras "
      + "and photographs of the capture.")
}
