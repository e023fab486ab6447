import MeshpipeBase
package import MeshpipeScene
package import NativeLibraries

/// One of a dictionary's markers.
package struct MarkerName: Sendable, Hashable, Comparable {
  package var dictionary: MarkerDictionary
  package var identifier: Int

  package init(_ dictionary: MarkerDictionary, _ identifier: Int) {
    (self.dictionary, self.identifier) = (dictionary, identifier)
  }

  package static func < (left: MarkerName, right: MarkerName) -> Bool {
    (left.dictionary.rawValue, left.identifier) < (right.dictionary.rawValue, right.identifier)
  }
}

/// The printed markers that photographs show.
package struct MarkerSightings: Sendable {
  /// A marker in a photograph.
  package struct Sighting: Sendable {
    package var marker: MarkerName
    /// The position of the frame in the capture.
    package var frame: Int
    /// In pixels of the frame's image: the top left, top right, bottom right and bottom left corner of the black square.
    package var corners: [SIMD2<Double>]
  }

  /// By frame, and then by marker.
  package private(set) var sightings: [Sighting] = []
  /// Markers of which a photograph shows several of the same number: nothing tells them apart.
  package private(set) var repeated: Set<MarkerName> = []
  /// Markers in photographs that are too small or too faint there.
  package private(set) var unclear = 0
  /// The photographs that were read.
  package private(set) var photographs = 0
  /// Photographs that can't be read, and why.
  package private(set) var unreadable: [(frame: String, reason: String)] = []

  /// What a photograph shows.
  private struct Reading: Sendable {
    var sightings: [Sighting] = []
    var repeated: Set<MarkerName> = []
    var unclear = 0
    var fault: String?
  }

  /// The photographs that are in memory at a time.
  private static let batch = 8

  /// Looks for the markers of some dictionaries in all photographs, at their full size.
  ///
  /// - Parameter progress: Is told the share of the photographs, and may end the search.
  package init(
    of dictionaries: [MarkerDictionary], in frames: [Capture.Frame], from store: FrameStore,
    progress: (Double) throws -> Void
  ) throws {
    let detector = MarkerDetector(dictionaries)
    for first in stride(from: 0, to: frames.count, by: Self.batch) {
      try progress(Double(first) / Double(frames.count))
      let count = min(Self.batch, frames.count - first)
      let readings = Parallel.map(count: count) { index in
        Self.reading(frames[first + index], first + index, detector, store)
      }
      for (index, reading) in readings.enumerated() {
        if let fault = reading.fault {
          unreadable.append((frames[first + index].name, fault))
          continue
        }
        photographs += 1
        sightings += reading.sightings
        repeated.formUnion(reading.repeated)
        unclear += reading.unclear
      }
    }
    let repeated = repeated
    sightings.removeAll { repeated.contains($0.marker) }
  }

  private static func reading(
    _ frame: Capture.Frame, _ position: Int, _ detector: MarkerDetector, _ store: FrameStore
  ) -> Reading {
    var reading = Reading()
    let image: GrayscaleImage
    do {
      image = GrayscaleImage(try frame.loadImage(from: store))
    } catch {
      reading.fault = error.userMessage
      return reading
    }
    guard
      let detections = detector.markers(
        in: image.codes, width: image.width, height: image.height)
    else {
      reading.fault = "there is too little memory to look for markers"
      return reading
    }
    // A frame's pixels are those of its size, whatever that of the file is.
    let scale =
      SIMD2<Double>(frame.imageSize) / SIMD2(Double(image.width), Double(image.height))
    var seen: Set<MarkerName> = []
    for detection in detections {
      let marker = MarkerName(detection.dictionary, detection.identifier)
      if !seen.insert(marker).inserted { reading.repeated.insert(marker) }
      guard let edges = MarkerEdges(detection.dictionary, detection.identifier),
        let corners = MarkerCornerFit(image, edges).corners(near: detection.corners)
      else {
        reading.unclear += 1
        continue
      }
      reading.sightings.append(
        Sighting(marker: marker, frame: position, corners: corners.map { $0 * scale }))
    }
    return reading
  }

  /// How many markers of each dictionary evenly spread photographs show, most first, for a capture in which those looked
  /// for are not.
  package static func survey(
    _ frames: [Capture.Frame], from store: FrameStore, progress: (Double) throws -> Void
  ) throws -> [(dictionary: MarkerDictionary, count: Int)] {
    let chosen = stride(from: 0, to: frames.count, by: max(1, frames.count / surveyed)).map {
      frames[$0]
    }
    var counts: [MarkerDictionary: Int] = [:]
    let found = try MarkerSightings(
      of: [
        .aruco4x4Of50, .aruco5x5Of250, .aruco6x6Of250, .aruco7x7Of250, .arucoMIP36h12,
        .aprilTag25h9, .aprilTag36h10, .aprilTag36h11,
      ], in: chosen, from: store, progress: progress)
    for marker in found.repeated { counts[marker.dictionary, default: 0] += 1 }
    for sighting in found.sightings { counts[sighting.marker.dictionary, default: 0] += 1 }
    return counts.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }
      .map { ($0.key, $0.value) }
  }

  private static let surveyed = 12
}
