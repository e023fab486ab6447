import MeshPipeline
package import Rendering

extension PhotographAgreement {
  /// Below it, what one sees is not what was photographed.
  ///
  /// Sharp models of real captures have 0.75 to 0.95, one whose mesh floated off its photographs 0.4.
  private static let leastSimilarity = 0.6

  /// Compares a model that was just made from photographs with them, and says so if it looks different.
  ///
  /// - Parameter warns: Whether it should look alike: colours of a few vertices can't, and what was never seen has its own
  ///   warning.
  static func report(of scene: Scene, to context: StageContext, warns: Bool) throws {
    let agreement = try PhotographAgreement(
      scene, from: context.frameStore, checkCancellation: context.checkCancellation)
    guard !agreement.views.isEmpty else { return }
    context.note("agreement", agreement.json)
    guard warns else { return }
    if let fault = agreement.fault {
      context.warn(fault + "; 'preview --compare' shows them side by side")
    }
  }

  /// What makes the model look unlike its photographs; nil if it looks like them.
  private var fault: String? {
    func percent(_ view: View) -> Int { max(0, Int((100 * view.similarity).rounded())) }
    let worst = views.min { $0.similarity < $1.similarity }
    if let worst, similarity < Self.leastSimilarity {
      return
        "the model does not look like the photographs it was made from: rendered into them, its picture agrees by "
        + "\(Int((100 * similarity).rounded())) % ('\(worst.name)' by \(percent(worst)) %)"
    }
    guard let first = stray.min(by: { $0.similarity < $1.similarity }) else { return nil }
    return
      "the model does not look like \(stray.count) of \(views.count) photographs it was made from: rendered into them, "
      + "its picture agrees much less than in the others ('\(first.name)' by \(percent(first)) %); their cameras may be "
      + "elsewhere, as where tracking drifted"
  }

  /// Rows of a table with its figures.
  package var rows: [[String]] {
    let brightness = views.map(\.brightness).sorted()
    guard let least = brightness.first, let most = brightness.last,
      let worst = views.min(by: { $0.similarity < $1.similarity })
    else { return [] }
    func text(_ number: Double) -> String { NumberText.fixed(number, digits: 3) }
    return [
      ["photographs, SSIM", text(similarity)], ["  least", text(worst.similarity), worst.name],
      ["  covered", NumberText.fixed(100 * coveredShare, digits: 1) + " %"],
      ["  brightness", "\(text(least)) to \(text(most))"],
    ]
  }
}
