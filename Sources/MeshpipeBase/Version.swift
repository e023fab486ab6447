internal import CRevision

/// The version of meshpipe, as in CHANGELOG.md; part of reports and of stamps for up-to-date checks.
public let meshpipeVersion = "0.1.0"

/// The commit that this program was built from, such as `7b579117`, or `7b579117+changes` where its sources differed.
///
/// Nil unless the build was told: `make build` in a checkout tells it, a plain `swift build` does not.
package let meshpipeRevision: String? = {
  let text = unsafe String(cString: meshpipe_revision())
  return text.isEmpty ? nil : text
}()

/// The version with the commit, for people: `0.1.0 (7b579117)`.
package let meshpipeBuild: String = {
  guard let meshpipeRevision else { return meshpipeVersion }
  return "\(meshpipeVersion) (\(meshpipeRevision))"
}()

/// What tells this program from one that may make other results: the version with its commit, and for a build of changed
/// or unknown sources the time and the size of the file as well.
package let meshpipeProgram: String = {
  if let meshpipeRevision, !meshpipeRevision.contains("+") { return meshpipeBuild }
  guard let path = FileSystem.ownExecutable, let status = try? FileSystem.status(of: path) else {
    return meshpipeBuild
  }
  return "\(meshpipeBuild) \(status.size) \(status.modified)"
}()
