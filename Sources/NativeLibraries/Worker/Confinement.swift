internal import CSandbox
import MeshPipeline

/// What keeps a program that is not trusted from writing elsewhere than in its folder.
public enum Confinement: Sendable {
  /// A view of the system of its own, made by `bwrap`, and Landlock in it where the kernel has that.
  case bubblewrap
  case landlock
  case nothing

  /// What there is on this system; found out by trying, in some milliseconds.
  public static var here: Confinement {
    if bubblewrapWorks { return .bubblewrap }
    return sandbox_can_restrict_files() != 0 ? .landlock : .nothing
  }

  /// Whether writing is confined at all.
  static var isThere: Bool { sandbox_can_restrict_files() != 0 || bubblewrapWorks }

  private static var bubblewrapWorks: Bool {
    guard let path = Bubblewrap.path,
      let child = try? ChildProcess(
        executable: path,
        arguments: Bubblewrap.arguments(
          view: .ofPrograms(and: []), folder: FileSystem.temporaryFolder, command: ["true"]),
        environment: ["PATH=/usr/bin:/bin"], seconds: 10, context: StageContext())
    else { return false }
    return (try? child.waitForEnd())?.exitStatus == 0
  }
}
