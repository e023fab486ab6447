import MeshTestSupport
import Testing

/// Fields of FFmpeg's structures whose places differ among its releases are read through the table in release.h.
struct FFmpegFieldTests {
  @Test func `no field that moves is named directly`() throws {
    let table = try Checkout.text("Sources/CLibraries/CVideo/release.h")
    let fields = table.matches(of: /each\((\w+), (\w+),/).map { (String($0.1), String($0.2)) }
    #expect(fields.count > 5)
    // Other structures have fields of these names, too.
    let common: Set = ["flags", "width", "height"]
    let moving = Set(fields.map(\.1)).subtracting(common)
    for file in ["color", "still", "store", "video"] {
      let text = try Checkout.text("Sources/CLibraries/CVideo/\(file).c")
      for match in text.matches(of: /(\w+)(?:->|\.)(\w+)/) where moving.contains(String(match.2)) {
        Issue.record("\(file).c: \(match.0)")
      }
      // Options stand for all fields of AVCodecContext.
      for match in text.matches(of: /frame->flags|(codec|context|codecpar)->\w+/) {
        Issue.record("\(file).c: \(match.0)")
      }
    }
  }
}
