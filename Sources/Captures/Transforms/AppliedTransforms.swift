import MeshPipeline
import POSIX

/// The worlds of a `transforms.json`: nerfstudio turns poses before it writes them (`applied_transform`,
/// `applied_scale`), and again before it trains, which a file beside it says (`dataparser_transforms.json`).
///
/// The mesh of the scan is in the world before all that, and one that nerfstudio exported is in the one behind it.
struct AppliedTransforms {
  private(set) var worlds: [CapturedScan.World] = []
  /// The factor by which the transform scales, which may have made the axes of poses longer.
  private(set) var rotationScale = 1.0

  private static let fileName = "dataparser_transforms.json"

  init(_ json: JSONValue, _ folder: CaptureFolder, _ context: CaptureReadingContext) {
    var applied = Transform.identity
    if let value = json["applied_transform"] {
      guard let transform = Self.transform(value) else {
        context.warn(
          "\(folder.path): applied_transform is not an affine map of three or four rows and is ignored"
        )
        return
      }
      applied = transform
      rotationScale = Self.scale(of: transform)
    }
    let scale = json["applied_scale"]?.number ?? 1
    if scale > 0, scale.isFinite {
      applied = Transform(scale: SIMD3(repeating: scale)) * applied
    }
    guard let back = applied.inverse else { return }
    let name =
      json["applied_transform"] == nil ? "before applied_scale" : "before applied_transform"
    if applied != .identity {
      worlds.append(.init(name: name, transform: back, declared: .original))
    }
    if let trained = Self.trained(folder, context) {
      worlds.append(
        .init(
          name: "after \(Self.fileName)", transform: trained * back, declared: .derived,
          lengthOfMeter: Self.scale(of: trained)))
    }
  }

  /// The map from the original world to that of a trained model.
  private static func trained(
    _ folder: CaptureFolder, _ context: CaptureReadingContext
  ) -> Transform? {
    let places = [folder, folder.parent].compactMap { $0 }
    guard let place = places.first(where: { $0.has(fileName) }) else {
      context.didMiss(folder.path(of: fileName))
      return nil
    }
    let path = place.path(of: fileName)
    let json = try? context.json(at: path)
    let scale = json?["scale"]?.number ?? 1
    guard let transform = json?["transform"].flatMap(transform), scale > 0, scale.isFinite else {
      context.warn("\(path): has no 'transform' of three rows and 'scale', and is ignored")
      return nil
    }
    return Transform(scale: SIMD3(repeating: scale)) * transform
  }

  /// An affine map by rows.
  private static func transform(_ value: JSONValue) -> Transform? {
    guard let rows = value.numbers, let map = try? Transform(cameraToWorld: rows),
      map.inverse != nil
    else { return nil }
    return map
  }

  private static func scale(of map: Transform) -> Double {
    let scale = cbrt(abs(map.determinant))
    return abs(scale - 1) < 1e-6 ? 1 : scale
  }
}
