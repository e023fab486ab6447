import MeshPipeline
import NativeLibraries
import Rendering

/// The cameras of a capture in a page, with small photographs.
enum PageFrames {
  /// Evenly spread frames beyond which no more photographs are in the page.
  private static let mostPhotographs = 48
  private static let longestSide = 480
  private static let quality = 72

  /// - Parameter capture: In ARKit's axes.
  static func json(of capture: Capture, in data: PageData, warn: (String) -> Void) -> JSONValue {
    let frames = capture.frames
    let chosen = Set(Array(frames.indices).evenly(atMost: mostPhotographs))
    // Decoded on all cores, then added in order.
    let pictures = Parallel.map(count: frames.count) { index -> Result<[UInt8], PictureFault>? in
      guard chosen.contains(index) else { return nil }
      do {
        let image = try frames[index].photograph(within: SIMD2(repeating: longestSide))
        return .success(try JPEG.encode(image, quality: quality))
      } catch {
        return .failure(PictureFault(message: error.userMessage))
      }
    }
    let start = frames.first?.timestamp
    return JSONValue(
      .array(
        frames.indices.map { index in
          var photograph: JSONValue?
          switch pictures[index] {
          case .success(let bytes): photograph = data.add(bytes, type: "image/jpeg")
          case .failure(let fault): warn("photograph \(fault.message)")
          case nil: break
          }
          return json(frames[index], photograph, since: start, isUpright: capture.saysUp)
        }))
  }

  private struct PictureFault: Error {
    var message: String
  }

  private static func json(
    _ frame: Capture.Frame, _ photograph: JSONValue?, since start: Double?, isUpright: Bool
  ) -> JSONValue {
    let (pose, lens) = (frame.pose, frame.intrinsics)
    let columns: [(SIMD3<Double>, Double)] = [
      (pose.x, 0), (pose.y, 0), (pose.z, 0), (pose.translation, 1),
    ]
    let quarters =
      isUpright
      ? FrameComparison(frame, largestSize: frame.imageSize).turns(in: .arkit) : 0
    var members: [JSONValue.Member] = [
      .init("name", frame.name.json),
      .init("size", [Double(frame.imageSize.x), Double(frame.imageSize.y)].json),
      .init("focalLength", [lens.focalLength.x, lens.focalLength.y].json),
      .init("principalPoint", [lens.principalPoint.x, lens.principalPoint.y].json),
      .init("pose", columns.flatMap { [$0.0.x, $0.0.y, $0.0.z, $0.1] }.json),
      .init("quarters", quarters.json), .init("isDistorted", (frame.distortion != .none).json),
    ]
    if let time = frame.timestamp, let start, (time - start).isFinite {
      members.append(.init("time", (time - start).json(digits: 3)))
    }
    if let photograph { members.append(.init("photograph", photograph)) }
    return JSONValue(.object(members))
  }
}
