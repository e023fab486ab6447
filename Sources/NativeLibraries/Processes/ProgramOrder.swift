import MeshpipeBase
import MeshpipeScene
import POSIX

/// The task of a ``ProgramSupervisor``, passed as command line arguments.
package struct ProgramOrder: Equatable {
  /// The process that requested it.
  var parent: pid_t
  var limits: WorkerLimits
  /// The program's working folder, without links in its path.
  var folder: String
  /// The path of `bwrap`; empty for none.
  var bubblewrap: String
  var allowsNetwork: Bool
  /// Readable files besides those that every program reads.
  var readable: [String]
  /// The program's path, and its arguments.
  var command: [String]

  package init(
    parent: pid_t, limits: WorkerLimits, folder: String, bubblewrap: String, allowsNetwork: Bool,
    readable: [String], command: [String]
  ) {
    self.parent = parent
    self.limits = limits
    self.folder = folder
    self.bubblewrap = bubblewrap
    self.allowsNetwork = allowsNetwork
    self.readable = readable
    self.command = command
  }

  private static let networkWord = "network"

  package var arguments: [String] {
    [
      "\(parent)", "\(limits.memory)", "\(limits.seconds)", "\(limits.fileSize)", folder,
      bubblewrap,
      allowsNetwork ? Self.networkWord : "", "\(readable.count)",
    ] + readable + command
  }
}

extension ProgramOrder {
  package init?(arguments: some Collection<String>) {
    let words = Array(arguments)
    guard words.count > 8, let parent = pid_t(words[0]), let memory = Int(words[1]),
      let seconds = Double(words[2]), let fileSize = Int(words[3]), let count = Int(words[7]),
      count >= 0, count < words.count - 8
    else { return nil }
    self.init(
      parent: parent, limits: WorkerLimits(memory: memory, seconds: seconds, fileSize: fileSize),
      folder: words[4], bubblewrap: words[5], allowsNetwork: words[6] == Self.networkWord,
      readable: Array(words[8..<8 + count]), command: Array(words[(8 + count)...]))
  }
}
