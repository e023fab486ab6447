package import MeshPipeline

/// Why no poses are found.
package enum PoseEstimationFailure: StageFailure, Equatable {
  /// The program is not installed.
  case noProgram
  /// It was ended by a signal.
  case crashed(command: String, said: String)
  /// It does not do what it is asked for.
  case failed(command: String, said: String)
  /// In bytes.
  case outOfMemory(limit: Int)
  /// Too few photographs can be used.
  case tooFew(count: Int)
  /// The photographs have no pair that shows the same from two places.
  case noModel(count: Int)
  /// Most photographs belong to no common model; `others` are the sizes of those beside the largest.
  case tooFewPosed(posed: Int, count: Int, least: Int, others: [Int], unposed: String)

  package var exitCode: ExitCode {
    switch self {
    case .noProgram: .unavailable
    case .outOfMemory: .temporary
    case .crashed, .failed: .software
    case .tooFew, .noModel, .tooFewPosed: .data
    }
  }

  private static let advice =
    "walk around what is photographed, so that each part of it is sharp in three photographs and each photograph shares "
    + "two thirds with the next; turning on the spot, plain walls, glass and things that move give nothing to find"

  package var message: String {
    switch self {
    case .noProgram:
      "poses are found by COLMAP, which is not in the PATH; Debian, Ubuntu and Homebrew have it as 'colmap'"
    case .crashed(let command, let said):
      "'colmap \(command)' crashed" + (said.isEmpty ? "" : "; its last words: \(said)")
    case .failed(let command, let said):
      "'colmap \(command)' failed" + (said.isEmpty ? "" : ": \(said)")
    case .outOfMemory(let limit):
      "COLMAP used more than \(limit >> 20) MB; use a smaller 'imageSize', or fewer 'features'"
    case .tooFew(let count):
      "\(count == 1 ? "one photograph is" : "\(count) photographs are") not enough for poses; at least three are needed "
        + "that show the same from different places"
    case .noModel(let count):
      "no poses are found for any of \(count) photographs: no two show enough of the same from different places; "
        + Self.advice
    case .tooFewPosed(let posed, let count, let least, let others, let unposed):
      "poses are found for \(posed) of \(count) photographs, fewer than \(least) ('minimumShare')"
        + (others.isEmpty
          ? ""
          : "; other groups that show something else, or lack the photographs between, have "
            + others.map(String.init).joined(separator: ", "))
        + "; without a pose are \(unposed); \(Self.advice)"
    }
  }
}
