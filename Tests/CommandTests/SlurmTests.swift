import Foundation
import MeshTestSupport
import Testing

@Suite struct SlurmTests {
  private static let isInstalled: Bool = {
    let path = "/usr/bin:/usr/sbin:/bin:/sbin"
    return ["munged", "slurmctld", "slurmd", "sbatch"].allSatisfy { name in
      path.split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
      }
    }
  }()

  #if os(Linux)
    private static let isNeeded = Checkers.areRequired
  #else
    private static let isNeeded = false
  #endif

  /// 64 scans in 8 shards on a cluster of this machine's own; see Tools/checks/slurm.py.
  @Test(
    .enabled(if: isNeeded || isInstalled, "needs Slurm: `make checkers` installs it"),
    .neverHangs)
  func `on a cluster that is harmed every scan is accounted for once`() throws {
    let outcome = try CommandProcess.run(
      URL(fileURLWithPath: "/usr/bin/env"),
      [
        "python3", CommandProcess.packageRoot.appendingPathComponent("Tools/checks/slurm.py").path,
        CommandProcess.executable.path,
      ])
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
  }
}
