import MeshPipeline
import NativeLibraries
import POSIX

/// Reduced copies of photographs in a folder, and which of them one camera took.
struct PhotographCopies {
  /// A photograph with its copy.
  struct Copy: Sendable {
    var photograph: Capture.Photograph
    /// The name of the copy.
    var copy: String
    var size: SIMD2<Int>
    /// Of its pixels, by which the same photograph is found again.
    var digest: String
  }

  /// Photographs that share lens and size.
  struct Camera {
    /// In ``PhotographCopies/kept``.
    var places: [Int]
    /// Focal length, principal point and distortion of the copies, as the program takes them; nil if the files don't say the
    /// focal length.
    var parameters: String?
  }

  let folder: String
  private(set) var kept: [Copy] = []
  private(set) var cameras: [Camera] = []

  /// Good enough that what it loses is far below the noise of photographs.
  private static let quality = 95

  /// Copies photographs; what can't be decoded, or is there already, is left out with a warning.
  ///
  /// - Parameter length: The longer side in pixels that copies have at least, if their photographs have it.
  init(
    of photographs: [Capture.Photograph], in folder: String, atLeast length: Int,
    _ context: StageContext, progress: (Double) throws -> Void
  ) throws {
    self.folder = folder
    try FileSystem.createFolder(folder)
    let copies = Parallel.map(count: photographs.count) { index -> Result<Copy, any Error> in
      Result {
        try context.checkCancellation()
        return try Self.copy(of: photographs[index], index, in: folder, length)
      }
    }
    try progress(1)
    var known: [String: String] = [:]
    for (index, result) in copies.enumerated() {
      let name = photographs[index].name
      do {
        let copy = try result.get()
        if let twin = known[copy.digest] {
          context.warn("'\(name)' is left out: it is the same photograph as '\(twin)'")
          continue
        }
        known[copy.digest] = name
        kept.append(copy)
      } catch let error as any UserError where !(error is Cancelled) && !(error is FileError) {
        context.warn("'\(name)' is left out: \(error.message)")
      }
    }
    groupByCamera()
  }

  private static func copy(
    of photograph: Capture.Photograph, _ index: Int, in folder: String, _ length: Int
  ) throws -> Copy {
    let frame = Capture.Frame(
      name: photograph.name, image: .file(photograph.path), imageSize: photograph.imageSize,
      intrinsics: .init(focalLength: .one, principalPoint: .zero), pose: .identity)
    let longer = photograph.imageSize.max()
    let image = try frame.loadImage(
      reducedBy: Capture.Frame.strongestReduction { longer / $0 >= length })
    // All of one length, so that they are sorted as they are numbered.
    let name = "\(1_000_000 + index).jpg"
    let bytes = try JPEG.encode(image, quality: quality)
    let file = try FileWriter(creating: "\(folder)/\(name)")
    try file.write(bytes)
    try file.finish()
    return Copy(
      photograph: photograph, copy: name, size: image.size,
      digest: SHA256.hexadecimal(of: bytes))
  }

  /// One camera for each device, size and focal length; those within a fiftieth are the same lens, refocused.
  private mutating func groupByCamera() {
    struct Key: Hashable {
      var device: String
      var size: SIMD2<Int>
      var focalLength: Int?
    }
    var numbers: [Key: Int] = [:]
    for (place, copy) in kept.enumerated() {
      let photograph = copy.photograph
      let focal = photograph.focalLength.map {
        $0 * Double(copy.size.x) / Double(photograph.imageSize.x)
      }
      let key = Key(
        device: photograph.device, size: copy.size,
        focalLength: focal.map { Int((50 * log($0)).rounded()) })
      if let number = numbers[key] {
        cameras[number].places.append(place)
        continue
      }
      numbers[key] = cameras.count
      let center = SIMD2<Double>(copy.size) / 2
      cameras.append(
        Camera(places: [place], parameters: focal.map { "\($0),\(center.x),\(center.y),0" }))
    }
  }
}
