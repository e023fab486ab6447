import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

private let recipe: JSONValue = ["pipeline": "decimate"]

/// A folder with a source and an output, and the stamp that a run would leave.
private func stamped() throws -> (folder: TemporaryFolder, stamp: BuildStamp) {
  let folder = try TemporaryFolder()
  let input = try folder.write("scan.obj", "v 0 0 0\n")
  let output = try folder.write("scan.glb", "glTF")
  try folder.setTime(of: "scan.obj", secondsFromNow: -100)
  try folder.setTime(of: "scan.glb", secondsFromNow: -50)
  let stamp = try #require(
    try BuildStamp(
      recipe: recipe, inputs: [input], outputs: [output], since: FileSystem.now))
  let path = folder.path + "/stamp"
  try stamp.write(to: path)
  return (folder, try #require(BuildStamp.read(path)))
}

@Test func `a stamp reads back and is current while nothing changes`() throws {
  let (folder, stamp) = try stamped()
  #expect(stamp.isCurrent(recipe: recipe))
  let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
  #expect(names.sorted() == ["scan.glb", "scan.obj", "stamp"])
}

@Test func `another recipe is not current`() throws {
  let (_, stamp) = try stamped()
  #expect(!stamp.isCurrent(recipe: ["pipeline": "weld"]))
}

@Test(arguments: ["scan.obj", "scan.glb"])
func `a changed or missing file is not current`(name: String) throws {
  let (folder, stamp) = try stamped()
  let path = URL(filePath: folder.path).appending(path: name)
  // Same length, so that only time and hash tell.
  let size = try Data(contentsOf: path).count
  try folder.write(name, String(repeating: "x", count: size))
  #expect(!stamp.isCurrent(recipe: recipe))
  try FileManager.default.removeItem(at: path)
  #expect(!stamp.isCurrent(recipe: recipe))
}

@Test func `a file that was only touched is current, and the new time is taken over`() throws {
  let (folder, stamp) = try stamped()
  try folder.setTime(of: "scan.obj", secondsFromNow: -10)
  #expect(stamp.isCurrent(recipe: recipe))
  let refreshed = stamp.refreshed()
  #expect(refreshed.inputs[0].modified != stamp.inputs[0].modified)
  #expect(refreshed.inputs[0].sha256 == stamp.inputs[0].sha256)
}

@Test func `a source that changes during the run leaves no stamp`() throws {
  let folder = try TemporaryFolder()
  let start = FileSystem.now
  Thread.sleep(forTimeInterval: 0.02)  // file times are coarser than the clock
  let input = try folder.write("scan.obj", "v 0 0 0\n")
  #expect(
    try BuildStamp(recipe: recipe, inputs: [input], outputs: [input], since: start) == nil)
}

@Test(arguments: ["", "{", "[]", #"{"meshpipeStamp": 2}"#, #"{"meshpipeStamp": 1}"#])
func `a damaged stamp is no stamp`(text: String) throws {
  let folder = try TemporaryFolder()
  #expect(BuildStamp.read(try folder.write("stamp", text)) == nil)
  #expect(BuildStamp.read(folder.path + "/none") == nil)
}

@Test func `the stamp hides beside the output`() {
  #expect(BuildStamp.path(besideOutput: "models/room.glb") == "models/.room.glb.meshpipe")
  #expect(BuildStamp.path(besideOutput: "room.glb") == "./.room.glb.meshpipe")
}

extension TemporaryFolder {
  /// Sets when a file was changed.
  fileprivate func setTime(of name: String, secondsFromNow seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: seconds)], ofItemAtPath: "\(path)/\(name)")
  }
}
