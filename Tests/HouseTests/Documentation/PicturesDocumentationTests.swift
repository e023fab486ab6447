import Foundation
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Stages
import Testing

/// The pictures of the documentation, which the command itself makes.
struct PicturesDocumentationTests {
  private static let environment = ProcessInfo.processInfo.environment

  /// The release build that makes the pictures; a debug build would take half an hour.
  private static let command = isUpdating ? environment["MESHPIPE_COMMAND"] : nil
  private static let isUpdating = environment["MESHPIPE_UPDATE_DOCS"] == "1"

  /// Every picture, by its path in `docs`.
  private static let pictures: [(path: String, shot: Shot)] =
    StageFigure.all.flatMap {
      [($0.beforePath, $0.before), ($0.afterPath, $0.after)]
    } + (PageFigure.pipelines + PageFigure.pages).map { ("images/" + $0.path, $0.shot) }

  @Test(.enabled(if: command != nil, "`make docs` makes them"))
  func `the pictures are made`() throws {
    let studio = try PictureStudio(command: try #require(Self.command), hasCaptures: true)
    let part = Self.environment["MESHPIPE_PICTURES"] ?? ""
    for (path, shot) in Self.pictures where part.isEmpty || path.contains(part) {
      try studio.take(shot, to: Checkout.path("docs/\(path)"))
    }
  }

  @Test(.enabled(if: !isUpdating)) func `every picture is there, small, and of something`() throws {
    for (path, shot) in Self.pictures {
      let bytes = try FileSystem.contents(of: Checkout.path("docs/\(path)"))
      #expect(bytes.count <= 30_000, "\(path) has \(bytes.count) bytes")
      if shot.isDrawing {
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("<polyline") || text.contains("<path"))
        continue
      }
      let pixels = try JPEG.decode(bytes, path: path).pixels
      // Of a white sheet all pixels would be alike.
      #expect(pixels.count { $0 < 200 } > pixels.count / 20, "\(path) shows nothing")
    }
  }

  @Test func `every stage and every pipeline has its picture`() throws {
    let stages = StageCatalogue(builtInStages).entries.map(\.name)
    #expect(StageFigure.all.map(\.stage).sorted() == stages)
    let pipelines = try PipelineCatalogue.files().map {
      $0.replacing(".json", with: "")
    }
    #expect(PageFigure.pipelines.map(\.name).sorted() == pipelines.sorted())
  }

  /// One stands for all: it is made anew, in a second or two.
  @Test(.enabled(if: !isUpdating))
  func `a picture is what the command makes, and the same bytes twice`() throws {
    let figure = try #require(StageFigure.all.first { $0.stage == "sample-points" })
    let studio = try PictureStudio(command: Program.meshpipe, hasCaptures: false)
    let folder = try TemporaryFolder()
    for name in ["first.jpg", "second.jpg"] {
      try studio.take(figure.before, to: "\(folder.path)/\(name)")
    }
    let bytes = try FileSystem.contents(of: folder.path + "/first.jpg")
    #expect(try FileSystem.contents(of: folder.path + "/second.jpg") == bytes)
    // Another processor may round differently.
    let path = Checkout.path("docs/images/stages/sample-points-before.jpg")
    let (made, kept) = (
      try JPEG.decode(bytes, path: "first.jpg").pixels,
      try JPEG.decode(try FileSystem.contents(of: path), path: path).pixels
    )
    let difference = zip(made, kept).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
    #expect(made.count == kept.count && difference < made.count / 2, "run `make docs`")
  }
}
