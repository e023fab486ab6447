import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import NativeLibraries

/// What comes of a cell that goes wrong; `misbehave` makes it do so after it is confined.
@Suite(.neverHangs)
struct DecoderCellTests {
  private func cell(_ library: DecoderLibrary = .webp) throws -> DecoderCell {
    try DecoderCell(library, executable: Program.meshpipe)
  }

  private static func request(
    _ way: DecoderServer.Misbehaviour, _ bytes: [UInt8] = []
  ) -> CellMessage {
    CellMessage(.misbehave, text: way.rawValue, bytes: bytes)
  }

  private func failure(
    _ way: DecoderServer.Misbehaviour, seconds: Double = 30, memory: Int = 1 << 29
  ) throws -> CellFailure? {
    let cell = try cell()
    let limits = DecoderCell.Limits(seconds: seconds, memory: memory, answer: 1 << 20)
    let error = #expect(throws: CellFailure.self) {
      try cell.answer(to: Self.request(way), limits)
    }
    #expect(error?.exitCode == .data)
    return error
  }

  @Test(.notSanitized) func `a crash is an error about the file that names the signal`() throws {
    let error = try failure(.crash)
    #expect(error == .ended(signal: SIGABRT, said: ""))
    #expect(error?.reason(.webp).hasPrefix("can't be decoded: libwebp ended with SIGABRT") == true)
  }

  @Test(arguments: [DecoderServer.Misbehaviour.hang, .burnTime])
  func `a cell that hangs is ended at its deadline`(way: DecoderServer.Misbehaviour) throws {
    #expect(try failure(way, seconds: 0.3) == .deadline(seconds: 0.3))
  }

  @Test(.notSanitized) func `memory has a ceiling, which each task sets`() throws {
    let cell = try cell()
    let much = DecoderCell.Limits(seconds: 30, memory: 1 << 30, answer: 0)
    _ = try cell.answer(to: CellMessage(.close), much)
    let little = DecoderCell.Limits(seconds: 30, memory: 1 << 27, answer: 0)
    let started = MonotonicClock.seconds
    let error = #expect(throws: CellFailure.self) {
      try cell.answer(to: Self.request(.eatMemory), little)
    }
    #expect(error == .memory(limit: 1 << 27))
    #expect(error?.reason(.heif).contains("libheif exceeded its memory limit of 128 MB") == true)
    #expect(MonotonicClock.seconds - started < 20)
  }

  @Test(arguments: [
    DecoderServer.Misbehaviour.stopHalfway, .talkNonsense, .promiseTooMuch,
  ])
  func `an answer that is none is an error about the file`(
    way: DecoderServer.Misbehaviour
  ) throws {
    guard case .nonsense? = try failure(way) else {
      Issue.record("no nonsense")
      return
    }
  }

  @Test func `more bytes than a task can give are refused`() throws {
    let limits = DecoderCell.Limits(seconds: 30, memory: 1 << 29, answer: 100)
    let request = PictureDecoding.request(.webp, PictureFixtures.losslessWebP, channels: 3)
    let error = #expect(throws: CellFailure.self) { try cell().answer(to: request, limits) }
    #expect(error == .nonsense("a length is out of range"))
  }

  @Test func `a cell that says a megabyte of nothing does not block`() throws {
    let limits = DecoderCell.Limits(seconds: 30, memory: 1 << 29, answer: 0)
    #expect(try cell().answer(to: Self.request(.chatter), limits).outcome == .done)
  }

  #if os(Linux)
    @Test(arguments: DecoderLibrary.allCases)
    func `a cell can't open, write, remove or reach anything`(library: DecoderLibrary) throws {
      let folder = try TemporaryFolder()
      let path = try folder.write("picture", "of nobody's concern")
      let limits = DecoderCell.Limits(seconds: 30, memory: 1 << 29, answer: 0)
      let answer = try cell(library).answer(
        to: Self.request(.trespass, Array(path.utf8)), limits)
      #expect(answer.outcome == .done, "allowed: \(answer.text)")
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "of nobody's concern")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/python3")))
    func `nor can it where the kernel has no Landlock`() throws {
      let folder = try TemporaryFolder()
      let path = try folder.write("picture", "of nobody's concern")
      let words = WithoutLandlock.command([Program.meshpipe]).map { word in
        "'" + word.replacing("'", with: "'\\''") + "'"
      }
      let script = "#!/bin/sh\nexec \(words.joined(separator: " ")) \"$@\"\n"
      let worker = try folder.write("meshpipe", script)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: worker)
      let cell = try DecoderCell(.webp, executable: worker)
      let limits = DecoderCell.Limits(seconds: 30, memory: 1 << 29, answer: 0)
      let answer = try cell.answer(to: Self.request(.trespass, Array(path.utf8)), limits)
      #expect(answer.outcome == .done, "allowed: \(answer.text)")
    }

    @Test func `a cell ends with its parent, however that ends`() throws {
      // Its input stays open without its parent, too.
      let script = """
        mkfifo "$1" && exec 9<>"$1" || exit 1
        "$0" __decode $$ webp 2000000000 0 <&9 >/dev/null 2>&1 &
        sleep 1; kill -0 $! && echo $!; kill -9 $$
        """
      let folder = try TemporaryFolder()
      let shell = try Program.run(
        "/bin/sh", ["-c", script, Program.meshpipe, "\(folder.path)/input"])
      #expect(shell.status == 128 + 9)
      let cell = shell.output.trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(Int(cell) != nil, "it did not live")
      var rounds = 0
      while FileManager.default.fileExists(atPath: "/proc/\(cell)/exe"), rounds < 500 {
        usleep(20_000)
        rounds += 1
      }
      #expect(rounds < 500)
    }
  #endif

  @Test func `a program of another kind is said so`() throws {
    let error = #expect(throws: CellFailure.self) {
      try DecoderCell(.webp, executable: "/bin/false")
    }
    guard case .notStarted(let reason)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("another version of meshpipe"))
    #expect(error?.exitCode == .unavailable)
    #expect(throws: CellFailure.self) { try DecoderCell(.webp, executable: "/nowhere/meshpipe") }
  }

  // MARK: What is decoded

  @Test(arguments: PictureFixtures.all.indices)
  func `pictures are those of a decoder in this process`(index: Int) throws {
    let (_, kind, bytes) = PictureFixtures.all[index]
    let library: DecoderLibrary = kind == .webp ? .webp : .heif
    let limits = DecoderCell.Limits(seconds: 60, memory: 1 << 30, answer: 1 << 20)
    for channels in [3, 4] {
      let request = PictureDecoding.request(library, bytes, channels: channels)
      let here = DecoderService().answer(to: request, files: [])
      let there = try cell(library).answer(to: request, limits)
      #expect(here == there)
      #expect(here.outcome == .done || here.text.contains("apt-get install"), "\(here.text)")
    }
  }

  @Test func `compressed geometry is that of a decoder in this process`() throws {
    let limits = DecoderCell.Limits(seconds: 60, memory: 1 << 30, answer: 1 << 20)
    let triangles: [UInt32] = [0, 1, 2, 2, 1, 3]
    let positions: [Float] = [0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0.5]
    let bytes = positions.withUnsafeBytes { [UInt8]($0) }
    if MeshoptEncoder.fault == nil {
      let encoded = MeshoptEncoder.encoded(triangles: triangles, vertexCount: 4)
      // Triangles without a filter: six indices of four bytes.
      let request = CellMessage(.meshopt, [1, 0, 6, 4], bytes: encoded)
      let here = DecoderService().answer(to: request, files: [])
      #expect(here.outcome == .done && here.bytes.count == 24)
      #expect(try cell(.meshopt).answer(to: request, limits) == here)
    }
    let attribute = DracoEncoder.Attribute(
      .position, .float32, width: 3, isNormalized: false, .none, values: bytes, stride: 12,
      places: nil, joinsValues: true)
    let encoded = try DracoEncoder.encoded(triangles: triangles, pointCount: 4, [attribute])
    let (service, cell) = (DecoderService(), try cell(.draco))
    for request in [
      CellMessage(.openDraco, [100, 0], bytes: encoded.bytes), CellMessage(.dracoAttributes),
      CellMessage(.dracoWidth, [0]),
      CellMessage(.dracoValues, [0, Int(NumberType.float32.draco.rawValue), 4]),
      CellMessage(.openDraco, [1, 0], bytes: encoded.bytes),
    ] {
      let here = service.answer(to: request, files: [])
      #expect(here.outcome == (request.numbers == [1, 0] ? .damaged : .done))
      #expect(try cell.answer(to: request, limits) == here)
    }
    CellProgram.choose()
    let mesh = try DracoMesh(encoded.bytes.span, mostElements: 100)
    #expect(mesh.pointCount == 4 && mesh.triangles.count == 6)
    let values = try #require(try mesh.values(ofAttribute: 0, as: .float32))
    let found = values.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    let corners = mesh.triangles.map { Array(found[3 * Int($0)..<3 * Int($0) + 3]) }
    let expected = triangles.map { Array(positions[3 * Int($0)..<3 * Int($0) + 3]) }
    #expect(Set(corners) == Set(expected))
  }

  @Test func `a cell is used again, and one that crashed is replaced`() throws {
    CellProgram.choose()
    let limits = DecoderCell.Limits(seconds: 60, memory: 1 << 30, answer: 1 << 20)
    let request = PictureDecoding.request(.webp, PictureFixtures.losslessWebP, channels: 3)
    let cell = try cell()
    let first = try cell.answer(to: request, limits)
    for _ in 0..<20 { #expect(try cell.answer(to: request, limits) == first) }
    _ = try? cell.answer(to: Self.request(.crash), limits)
    #expect(throws: CellFailure.self) { try cell.answer(to: request, limits) }
    // As if it had crashed behind the last file: no fault of the next.
    DecoderPool.giveBack(.cell(cell))
    #expect(try DecoderPool.answer(to: request, .webp, limits) == first)
  }

  @Test func `threads have a cell each`() throws {
    CellProgram.choose()
    let sizes = Parallel.map(count: 24) { _ in
      try? Image.decoded(from: PictureFixtures.losslessWebP, path: "a.webp").size
    }
    #expect(sizes == [SIMD2<Int>?](repeating: SIMD2(48, 32), count: 24))
  }

  @Test func `a video stays whole when its decoder crashes between two frames`() throws {
    CellProgram.choose()
    try VideoTests.withVideo(of: 6) { path in
      let file = open(path, O_RDONLY)
      var session = VideoSession(path: path, file: file, fileSize: 1000)
      #expect(try session.contents().times.count == 6)
      session.expect([1, 2, 3])
      let frame = try session.frame(2, SIMD2(64, 48))
      for _ in 0..<2 {
        #expect(throws: ImageError.self) { try session.misbehave(.crash) }
        #expect(try session.frame(2, SIMD2(64, 48)) == frame)
      }
      // Then it is given up, with the reason.
      #expect(throws: ImageError.self) { try session.misbehave(.crash) }
      let error = #expect(throws: ImageError.self) { try session.frame(2, SIMD2(64, 48)) }
      #expect(error?.reason.contains("FFmpeg ended with SIGABRT") == true)
    }
  }
}

/// The program of cells, for tests through the pool.
private enum CellProgram {
  static func choose() { OwnProgram.chosenPath = Program.meshpipe }
}
