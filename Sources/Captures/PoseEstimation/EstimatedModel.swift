package import MeshPipeline

/// Photographs with their poses, and the points that they have in common, in a world of unknown axes and scale.
package struct EstimatedModel: Sendable {
  /// A point, and the number of photographs that show it.
  package struct Point: Sendable {
    package var position: SIMD3<Double>
    package var color: Color
    package var imageCount: Int
  }

  /// In the order in which the photographs were taken, with cameras of their full size.
  package var frames: [Capture.Frame]
  /// The side of each frame's image that was up.
  package var tops: [Capture.Photograph.Side]
  /// The points that photographs share.
  package var points: [Point]
  /// The median distance in pixels of full size between where photographs show a point and where their cameras see it.
  package var residual: Double
  /// The number of different cameras.
  package var cameraCount: Int
  /// The names of the photographs in each other model.
  package var others: [[String]] = []
  /// The names of the photographs without a pose in this one.
  package var unposed: [String] = []

  /// The models in the folders of a folder, the one with most photographs first.
  static func all(in folder: String, _ copies: PhotographCopies) throws -> [EstimatedModel] {
    var models: [EstimatedModel] = []
    for name in try FileSystem.names(inFolder: folder).sorted() {
      let place = try CaptureFolder("\(folder)/\(name)")
      guard COLMAP.isPresent(in: place) else { continue }
      let model = try EstimatedModel(place, copies)
      if model.frames.count > 1 { models.append(model) }
    }
    // Of equal ones the first.
    return models.enumerated().sorted { left, right in
      (right.element.frames.count, left.offset) < (left.element.frames.count, right.offset)
    }.map(\.element)
  }

  private init(_ folder: CaptureFolder, _ copies: PhotographCopies) throws {
    let context = CaptureReadingContext { _ in }
    let scan = try COLMAP.read(folder, in: context)
    var posed: [String: Capture.Frame] = [:]
    for frame in scan.capture.frames { posed[frame.name] = frame }
    (frames, tops) = ([], [])
    var enlargement = 1.0
    for copy in copies.kept {
      guard var frame = posed[copy.copy] else { continue }
      let photograph = copy.photograph
      frame.name = photograph.name
      frame.image = .file(photograph.path)
      frame.timestamp = photograph.timestamp
      frame.exposure = photograph.exposure
      // Also rejects cameras that no lens has, which a model out of too few points may end in.
      do throws(FrameFault) {
        frame = try FrameCheck.checked(frame, videoSizes: [:], in: context)
      } catch { continue }
      enlargement = max(enlargement, Double(frame.imageSize.x) / Double(copy.size.x))
      frames.append(frame)
      tops.append(photograph.top)
    }
    cameraCount = Set(frames.map { "\($0.intrinsics) \($0.distortion)" }).count
    let path = folder.path(of: "points3D.bin")
    let found = try COLMAPBinary.points(context.contents(of: path), path: path)
    points = found.map {
      Point(position: $0.position, color: $0.color, imageCount: $0.imageCount)
    }
    residual = enlargement * (found.map(\.error).median() ?? 0)
  }
}
