package import MeshPipeline
import NativeLibraries

/// A folder of photographs and nothing else: of none is it known where it was taken.
package enum Photographs: CaptureLayout {
  package static let id = "photographs"
  package static let summary =
    "Photographs and nothing else, without poses: `estimate-poses` finds them, as the pipeline `photos` does."
  package static let brings: Set<SceneFeature> = [.photographs]

  /// What photographs are copied with: notes, edits (Apple's, and in XMP), and live pictures.
  private static let companions: Set = ["txt", "md", "xmp", "aae", "mov", "mp4", "thm"]
  /// Names of maps that belong to frames.
  private static let maps = ["depth", "conf", "mask", "dynamic_mask"]

  /// A file that is anything else, such as a mesh, owns the images beside it; in a list of names they may be textures.
  package static func isPresent(in folder: CaptureFolder) -> Bool {
    guard !folder.isListed else { return false }
    let names = folder.names.filter { !isHidden($0) }
    return names.contains(where: isPhotograph)
      && names.allSatisfy { isPhotograph($0) || isCompanion($0) }
  }

  package static func meshPaths(in folder: CaptureFolder) -> [String] { [] }

  private static func isHidden(_ name: String) -> Bool {
    name.hasPrefix(".") || ["Thumbs.db", "desktop.ini"].contains(name)
  }

  private static func isPhotograph(_ name: String) -> Bool {
    pictureExtensions.contains(fileExtension(of: name)) && !maps.contains(where: name.hasPrefix)
  }

  /// Files without an extension are licences and such.
  private static func isCompanion(_ name: String) -> Bool {
    !name.contains(".") || companions.contains(fileExtension(of: name))
  }

  package static func read(
    _ folder: CaptureFolder, in context: CaptureReadingContext
  ) throws -> CapturedScan {
    var capture = Capture()
    for name in folder.names where !isHidden(name) && isPhotograph(name) {
      try context.checkCancellation()
      let path = folder.path(of: name)
      guard (try? FileSystem.status(of: path))?.isFolder != true else { continue }
      do throws(FrameFault) {
        let file = try FrameCheck.open(path)
        var photograph = Capture.Photograph(
          name: name, path: path, imageSize: try FrameCheck.size(of: file))
        if let data = EXIF(file) { photograph.describe(by: data) }
        capture.photographs.append(photograph)
      } catch {
        context.leaveOut(name, because: error.reason, at: error.path)
        context.didMiss(path)
      }
    }
    return CapturedScan(capture: capture, coordinateSystem: nil)
  }
}

extension Capture.Photograph {
  private enum Tag {
    static let (make, model, orientation) = (0x010F, 0x0110, 0x0112)
    static let (exposureTime, sensitivity, focalLength) = (0x829A, 0x8827, 0x920A)
    static let (equivalentFocalLength, taken) = (0xA405, 0x9003)
    static let (planeResolution, planeUnit, recordedWidth) = (0xA20E, 0xA210, 0xA002)
  }

  /// Takes what its camera wrote into the file.
  mutating func describe(by data: EXIF) {
    let words = [data.text(Tag.make, in: .image), data.text(Tag.model, in: .image)]
    device = words.compactMap(\.self).joined(separator: " ")
    // The mirrored ones, which no camera writes, have the same top.
    switch data.number(Tag.orientation, in: .image) {
    case 3, 4: top = .bottom
    case 5, 6: top = .left
    case 7, 8: top = .right
    default: top = .top
    }
    focalLength = focalLength(by: data)
    let duration = data.number(Tag.exposureTime, in: .photograph).flatMap { $0 > 0 ? $0 : nil }
    let iso = data.number(Tag.sensitivity, in: .photograph).flatMap { $0 > 0 ? $0 : nil }
    if duration != nil || iso != nil {
      exposure = Capture.Exposure(duration: duration, iso: iso)
    }
    timestamp = data.text(Tag.taken, in: .photograph).flatMap(Self.seconds)
  }

  /// In pixels, from the focal length of a camera for 35 mm film with the same diagonal field of view (CIPA DCG-001), or
  /// else from the true one and the density of pixels on the sensor.
  private func focalLength(by data: EXIF) -> Double? {
    let size = SIMD2<Double>(imageSize)
    let diagonal = (size * size).sum().squareRoot()
    var focal: Double?
    if let equivalent = data.number(Tag.equivalentFocalLength, in: .photograph), equivalent > 0 {
      let diagonalOfFilm = (36.0 * 36 + 24 * 24).squareRoot()
      focal = equivalent / diagonalOfFilm * diagonal
    } else if let millimeters = data.number(Tag.focalLength, in: .photograph),
      let density = data.number(Tag.planeResolution, in: .photograph),
      let width = data.number(Tag.recordedWidth, in: .photograph), width > 0
    {
      // Inches by default; 3 is centimetres and 4 millimetres.
      let units = [3.0: 10.0, 4: 1]
      let unit = units[data.number(Tag.planeUnit, in: .photograph) ?? 2] ?? 25.4
      focal = millimeters * density / unit * size.x / width
    }
    guard let focal, focal > 0.2 * diagonal, focal < 20 * diagonal else { return nil }
    return focal
  }

  /// Seconds of a date such as `2024:02:12 00:39:19`, from some beginning.
  private static func seconds(of date: String) -> Double? {
    let numbers = date.split(whereSeparator: { ": ".contains($0) }).compactMap { Int($0) }
    guard numbers.count >= 6, (1900...2200).contains(numbers[0]), (1...12).contains(numbers[1]),
      (1...31).contains(numbers[2]), (0...24).contains(numbers[3]), (0...60).contains(numbers[4]),
      (0...60).contains(numbers[5])
    else { return nil }
    // Days since the first of March of the year 0, of which leap days are the last (Hinnant, days_from_civil).
    let year = numbers[1] > 2 ? numbers[0] : numbers[0] - 1
    let month = (numbers[1] + 9) % 12
    let days =
      365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + numbers[2] - 1
    return Double(((days * 24 + numbers[3]) * 60 + numbers[4]) * 60 + numbers[5])
  }
}
