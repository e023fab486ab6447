import MeshPipeline

/// Matches the frames of a bundle's video with its lines.
///
/// Lines have a number and a time. The number may be the video frame's, or count all frames that
/// the sensor delivered; the time may be on the clock of the video, or on one that started earlier.
/// If there are as many video frames as lines, the match is certain. Otherwise the likely
/// interpretations are tried, and the one is used under which most lines match a video frame of
/// their time.
struct VideoTimeline {
  /// A way to find the video frame of a line.
  private enum Reading {
    case number
    /// The position of the line in the file.
    case line
    /// The nearest time, on a clock that is ahead of the video's.
    case time(ahead: Double)
  }

  private let times: [Double]
  private let reading: Reading
  /// The offset of the lines' times from the video's.
  private let ahead: Double
  /// Half the usual interval between video frames.
  private let slack: Double

  /// - Parameters:
  ///   - times: Those of the video's frames, ascending.
  ///   - lineCount: The number of lines, including unreadable ones.
  ///   - isByNumber: Whether numbers are indices of video frames, if known.
  init(times: [Double], records: [FramesBundleRecord], lineCount: Int, isByNumber: Bool?) {
    self.times = times
    let areNumbersPlaces = records.allSatisfy { times.indices.contains($0.number) }
    if lineCount == times.count, isByNumber != true || areNumbersPlaces {
      // Each line has its own frame, even if a line can't be read; the video may run at another
      // speed.
      reading = isByNumber != false && areNumbersPlaces ? .number : .line
      (ahead, slack) = (0, .infinity)
      return
    }
    let gap = zip(times.dropFirst(), times).map { $0 - $1 }.median()
    // Slightly more, so that times rounded to half a frame count.
    let slack = gap.map { $0 * 0.501 } ?? .infinity
    self.slack = slack
    let readings = Self.readings(times, records, isByNumber)
    var best: (reading: Reading, ahead: Double, count: Int)?
    for reading in readings {
      let ahead = Self.ahead(reading, times, records)
      let count = records.count { record in
        guard let index = Self.index(of: record, reading, times) else { return false }
        guard let time = record.finiteTimestamp else { return true }
        return abs(time - ahead - times[index]) <= slack
      }
      // The first of equal ones.
      if count > best?.count ?? -1 { best = (reading, ahead, count) }
    }
    reading = best?.reading ?? .number
    ahead = best?.ahead ?? 0
  }

  /// The interpretations to try, the most likely first.
  private static func readings(
    _ times: [Double], _ records: [FramesBundleRecord], _ isByNumber: Bool?
  ) -> [Reading] {
    if isByNumber == true { return [.number] }
    var readings: [Reading] = isByNumber == false ? [] : [.number]
    if let first = records.compactMap(\.finiteTimestamp).min(), let start = times.first {
      let clocks = readings.map { ahead($0, times, records) }
      readings += ([0] + clocks + [first - start]).map { .time(ahead: $0) }
    }
    return readings.isEmpty ? [.number] : readings
  }

  /// The offset of the lines' times from their frames': the median.
  private static func ahead(
    _ reading: Reading, _ times: [Double], _ records: [FramesBundleRecord]
  ) -> Double {
    if case .time(let ahead) = reading { return ahead }
    return records.compactMap { record -> Double? in
      guard let time = record.finiteTimestamp, let index = index(of: record, reading, times) else {
        return nil
      }
      return time - times[index]
    }.median() ?? 0
  }

  private static func index(
    of record: FramesBundleRecord, _ reading: Reading, _ times: [Double]
  ) -> Int? {
    switch reading {
    case .number: return times.indices.contains(record.number) ? record.number : nil
    case .line: return times.indices.contains(record.place) ? record.place : nil
    case .time(let ahead):
      guard let time = record.finiteTimestamp else { return nil }
      return nearest(to: time - ahead, in: times)
    }
  }

  private static func nearest(to time: Double, in times: [Double]) -> Int? {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] < time { low = middle + 1 } else { high = middle }
    }
    return [low - 1, low].filter(times.indices.contains)
      .min { abs(times[$0] - time) < abs(times[$1] - time) }
  }

  /// The video frame of a line, and whether it was taken at another time than the line says.
  func picture(of record: FramesBundleRecord) throws(FrameFault) -> (index: Int, isOff: Bool) {
    guard let index = Self.index(of: record, reading, times) else {
      if case .time = reading {
        throw FrameFault("it has no timestamp by which to find it in the video")
      }
      throw FrameFault("the video has only \(times.count) frames")
    }
    guard let time = record.finiteTimestamp else { return (index, false) }
    let moment = time - ahead
    let miss = abs(moment - times[index])
    // Between frames the nearest is acceptable; before the first and after the last there is none.
    let isOutside = moment < times.first ?? 0 || moment > times.last ?? 0
    if case .time = reading, miss > (isOutside ? 1 : 2) * slack {
      throw FrameFault("the video has no frame of its time")
    }
    return (index, miss > slack)
  }
}
