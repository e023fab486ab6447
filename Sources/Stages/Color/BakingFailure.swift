public import MeshPipeline
import Photogrammetry

/// Why frames could not be baked.
public enum BakingFailure: StageFailure, Equatable {
  /// The scan has no frames.
  case noFrames
  /// There are no frames, and nothing colours the model.
  case noColors
  /// All frames were skipped; the first one's name and reason.
  case noFrameReadable(count: Int, frame: String, reason: String)
  /// The scan has only points.
  case noFaces
  /// No frame sees the mesh, and why.
  case nothingSeen(String)
  /// Frames see less of the mesh than they must: the share, and why.
  case hardlySeen(Double, least: Double, String)
  /// The texture can't hold the surface at this size, and why.
  case noRoom(String)

  public var message: String {
    switch self {
    case .noFrames:
      "the scan has no frames to take colours from; name a capture with --frames, or guard the stage "
        + "with \"when\": \"frames\""
    case .noColors:
      "there are no frames to take colours from, and the model has no textures, coloured materials or "
        + "colours of faces either; name a capture with --frames, or guard the stage with "
        + "\"when\": \"frames or textures\""
    case .noFrameReadable(let count, let frame, let reason):
      "none of the \(count) frames can be read; '\(frame)': \(reason)"
    case .noFaces:
      "the scan has points but no faces to bake a texture for: use 'bake-colors' for points, or guard "
        + "the stage with \"when\": \"faces\""
    case .nothingSeen(let reason): "no frame sees the mesh: \(reason)"
    case .hardlySeen(let share, let least, let reason):
      "the frames see only \(Self.percent(share)) % of the mesh, less than 'minimumSeen' "
        + "(\(Self.percent(least)) %): \(reason); '--set minimumSeen=0' takes their colours anyway"
    case .noRoom(let reason): reason
    }
  }

  private static func percent(_ share: Double) -> String {
    NumberText.shortest((share * 1000).rounded() / 10)
  }
}

/// Portable names of texture files.
enum TextureName {
  /// Letters, digits, hyphens and underscores of a name; `texture` if nothing remains.
  static func stem(of name: String) -> String {
    let last = name.split(separator: "/").last.map { String($0) } ?? ""
    let kept = last.map { character in
      character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
        ? character : "_"
    }
    return kept.contains { $0 != "_" } ? String(kept) : "texture"
  }
}

extension FrameCalibration {
  /// Reports how well the frames could be used.
  ///
  /// - Throws: If none could.
  func report(to context: StageContext) throws(BakingFailure) {
    if let first = faults.dropped.first, faults.dropped.count == frames.count {
      throw .noFrameReadable(
        count: frames.count, frame: frames[first.frame].name, reason: first.reason)
    }
    for (frame, reason) in faults.dropped {
      context.warn("frame '\(frames[frame].name)' is left out: \(reason)")
    }
    if let first = faults.depths.first {
      context.warn(
        "depth of \(faults.depths.count) frame(s) can't be read and is ignored; the first one, of "
          + "'\(frames[first.frame].name)': \(first.reason)")
    }
    context.note("frames", JSONValue(.number(Double(frames.count - faults.dropped.count))))
    let blurred = photometry.sharpness.count { $0 < 0.7 }
    if blurred > 0 { context.note("blurredFrames", JSONValue(.number(Double(blurred)))) }
    reportLeveling(to: context)
    let foregrounds = foregrounds.count { $0 != nil }
    if foregrounds > 0 {
      context.note("framesWithForeground", JSONValue(.number(Double(foregrounds))))
    }
  }
}
