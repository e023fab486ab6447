import Foundation
import MeshPipeline
import Testing

@Test func `a dependency file has a rule, and an empty one for each source`() throws {
  let file = DependencyFile([
    .init(targets: ["out.glb", "out.fbx"], prerequisites: ["p.json", "scan.obj", "scan.mtl"])
  ])
  #expect(
    try file.text() == """
      out.glb out.fbx: \\
        p.json \\
        scan.obj \\
        scan.mtl

      p.json:

      scan.obj:

      scan.mtl:

      """)
}

@Test(arguments: ["a\nb", "a\tb", "a;b"])
func `a name that can't be written is refused`(name: String) {
  let file = DependencyFile([.init(targets: [name], prerequisites: ["c"])])
  #expect(throws: UnnamableFile.self) { try file.text() }
}

/// Names that are legal in file systems and special to make, ninja or both.
private let awkwardNames = [
  "plain.obj", "my scan.obj", "cost $5.obj", "a#b.obj", "time 12:30.obj", "50%.obj",
  "ends with backslash\\ and blank.obj", "ümlaut 日本.obj", "(b) [c] {d}+e@f,h=i~j!k.obj",
]

@Test(.enabled(if: CommandProcess.program("make") != nil, "needs make"), arguments: awkwardNames)
func `make reads every name back`(name: String) throws {
  let make = try #require(CommandProcess.program("make"))
  let folder = try TemporaryFolder()
  try folder.write("", to: name)
  try folder.write(
    try DependencyFile([.init(targets: ["out"], prerequisites: [name])]).text(), to: "out.d")
  try folder.write("include out.d\nout:\n\ttouch out\n", to: "Makefile")
  #expect(try CommandProcess.run(make, ["out"], in: folder).status == 0)
  let again = try CommandProcess.run(make, ["out"], in: folder)
  #expect(again.text.contains("up to date"), "\(again.text)\(again.errors)")
  try folder.setTime(of: name, secondsFromNow: 10)
  let changed = try CommandProcess.run(make, ["out"], in: folder)
  #expect(changed.text.contains("touch out"), "\(changed.text)\(changed.errors)")
}

@Test(
  .enabled(if: CommandProcess.program("ninja") != nil, "needs ninja"),
  arguments: awkwardNames, [false, true])
func `ninja reads every name back`(name: String, keepsInLog: Bool) throws {
  let ninja = try #require(CommandProcess.program("ninja"))
  let folder = try TemporaryFolder()
  try folder.write("", to: name)
  try folder.write(
    try DependencyFile([.init(targets: ["out"], prerequisites: [name])]).text(), to: "prepared.d")
  try folder.write(
    """
    rule touch
      command = touch out && cp prepared.d out.d
      depfile = out.d
    \(keepsInLog ? "  deps = gcc" : "")
    build out: touch

    """, to: "build.ninja")
  #expect(try CommandProcess.run(ninja, [], in: folder).status == 0)
  let again = try CommandProcess.run(ninja, [], in: folder)
  #expect(again.text.contains("no work to do"), "\(again.text)\(again.errors)")
  try folder.setTime(of: name, secondsFromNow: 10)
  let changed = try CommandProcess.run(ninja, [], in: folder)
  #expect(changed.text.contains("[1/1]"), "\(changed.text)\(changed.errors)")
}

extension TemporaryFolder {
  /// Sets when a file was changed.
  func setTime(of name: String, secondsFromNow seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: seconds)],
      ofItemAtPath: url.appendingPathComponent(name).path)
  }
}
