import Captures
import MeshPipeline
import MeshTestSupport
import Testing

struct BundleVideoTests {
  /// A line of a bundle whose pictures are in a video.
  struct Line {
    var number: Int
    var time: Double?
  }

  /// A picture that its number tells from all others.
  private func picture(_ number: Int) -> Image {
    let pixel = [UInt8](repeating: UInt8(20 * number + 20), count: 3)
    return Image(width: 64, height: 48, pixels: (0..<64 * 48).flatMap { _ in pixel })
  }

  /// The numbers of the pictures that lines get of a video with two pictures in a second.
  private func pictures(
    of lines: [Line?], inVideoOf count: Int, manifest: String = "{}", size: SIMD2<Int>? = nil
  ) throws -> (indices: [Int], scan: CapturedScan, warnings: [String]) {
    let fixture = try CaptureFixture()
    var camera = fixture.cameras[0]
    let video = (0..<count).map(picture)
    try fixture.folder.write("video.mov", MotionJPEG.avi(of: video))
    if let size { camera.size = size }
    let text = lines.map { line in
      guard let line,
        case .object(var members) = CaptureFixture.record(line.number, camera).content
      else { return "{ damaged" }
      members.removeAll { $0.key == "timestamp" || $0.key == "depth_path" }
      if let time = line.time { members.append(.init("timestamp", JSONValue(.number(time)))) }
      return JSONValue(.object(members)).compactText
    }
    try fixture.folder.write("manifest.json", manifest)
    try fixture.folder.write("frames.jsonl", text.joined(separator: "\n"))
    let (scan, warnings) = try fixture.read()
    let indices = scan.capture.frames.map { frame -> Int in
      if case .video(_, let index) = frame.image { index } else { -1 }
    }
    return (indices, scan, warnings)
  }

  private func lines(
    _ range: some Sequence<Int>, number: (Int) -> Int = { $0 }, time: (Int) -> Double?
  ) -> [Line?] {
    range.map { Line(number: number($0), time: time($0)) }
  }

  @Test func `numbers are those of pictures where times bear them out`() throws {
    for start in [0, 8123.25] {
      let time = { (number: Int) -> Double? in start + Double(number) / 2 }
      #expect(
        try pictures(of: lines(0..<6, time: time), inVideoOf: 6).indices == [0, 1, 2, 3, 4, 5])
      #expect(try pictures(of: lines(2..<6, time: time), inVideoOf: 6).indices == [2, 3, 4, 5])
      #expect(
        try pictures(of: lines([0, 1, 3, 5], time: time), inVideoOf: 6).indices == [0, 1, 3, 5])
    }
    #expect(try pictures(of: lines(1..<4, time: { _ in nil }), inVideoOf: 6).indices == [1, 2, 3])
  }

  @Test func `as many pictures as lines leave no doubt, whatever the video's speed`() throws {
    let (indices, _, warnings) = try pictures(
      of: lines(0..<4, time: { Double(7 * $0) }), inVideoOf: 4)
    #expect(indices == [0, 1, 2, 3])
    #expect(warnings == [])
  }

  @Test func `a damaged line does not shift the pictures of the others`() throws {
    for factor in [1, 30] {
      let whole = lines(1..<6, number: { factor * $0 }, time: { 100 + Double($0) / 2 })
      let (indices, _, warnings) = try pictures(of: [nil] + whole, inVideoOf: 6)
      #expect(indices == [1, 2, 3, 4, 5])
      #expect(warnings.count == 1 && warnings[0].contains("not valid JSON"))
    }
  }

  @Test func `where numbers count something else, the video's own times decide`() throws {
    for start in [0, 8123.25] {
      // Every second picture has a line.
      let half = lines(0..<5, time: { start + Double($0) })
      let (indices, _, warnings) = try pictures(
        of: half, inVideoOf: 10, manifest: #"{ "video": { "fps": 60 } }"#)
      #expect(indices == [0, 2, 4, 6, 8])
      #expect(warnings == [])
      // The sensor's numbers, and a pause.
      let sensor = lines([0, 1, 4, 5], number: { 30 * $0 }, time: { start + Double($0) / 2 })
      #expect(try pictures(of: sensor, inVideoOf: 6).indices == [0, 1, 4, 5])
    }
  }

  @Test func `numbers that are declared to be pictures' are taken, and told of when times differ`()
    throws
  {
    let said = #"{ "video": { "frame_index": "frame_idx" } }"#
    let half = lines(0..<5, time: { Double($0) })
    let (indices, _, warnings) = try pictures(of: half, inVideoOf: 10, manifest: said)
    #expect(indices == [0, 1, 2, 3, 4])
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("4 frames") == true, "\(warnings)")
    #expect(warnings.first?.contains("half a frame's duration off") == true)
  }

  @Test func `as many pictures as declared numbers need no times`() throws {
    let said = #"{ "video": { "frame_index": "frame_idx" } }"#
    let slow = lines([2, 0, 1, 3], time: { Double(7 * $0) })
    let (indices, _, warnings) = try pictures(of: slow, inVideoOf: 4, manifest: said)
    #expect(indices == [2, 0, 1, 3])
    #expect(warnings == [])
  }

  @Test func `lines beyond a video's end are left out`() throws {
    let time = { (number: Int) -> Double? in Double(number) / 2 }
    let (indices, _, warnings) = try pictures(of: lines(0..<6, time: time), inVideoOf: 4)
    #expect(indices == [0, 1, 2, 3])
    #expect(warnings.count == 1)
    #expect(warnings.first?.contains("2 frames are left out") == true)
    #expect(warnings.first?.contains("the video has only 4 frames") == true, "\(warnings)")
    let sensor = lines(0..<6, number: { 30 * $0 }, time: time)
    let short = try pictures(of: sensor, inVideoOf: 4)
    #expect(short.indices == [0, 1, 2, 3])
    #expect(short.warnings.first?.contains("no frame of its time") == true)
  }

  @Test func `intrinsics are for the size of the video's pictures`() throws {
    let line = lines(0..<2, time: { Double($0) / 2 })
    let frames = try pictures(of: line, inVideoOf: 2, size: SIMD2(128, 96)).scan.capture.frames
    let own = try pictures(of: line, inVideoOf: 2).scan.capture.frames
    #expect(frames.map(\.imageSize) == [SIMD2(64, 48), SIMD2(64, 48)])
    #expect(frames[0].intrinsics.focalLength == own[0].intrinsics.focalLength / 2)
    let error = try #require(throws: CaptureError.self) {
      try pictures(of: line, inVideoOf: 2, size: SIMD2(48, 64))
    }
    #expect(error.message.contains("rotated relative to its intrinsics"), "\(error.message)")
  }

  @Test func `a file that is no video is named when the capture is read`() throws {
    let fixture = try CaptureFixture()
    try fixture.folder.write("video.mov", "hello")
    try fixture.folder.write(
      "frames.jsonl", CaptureFixture.record(0, fixture.cameras[0]).compactText)
    let error = try #require(throws: CaptureError.self) { try fixture.read() }
    #expect(error.message.contains("its video can't be used: "), "\(error.message)")
    #expect(error.message.contains("video.mov"))
  }
}
