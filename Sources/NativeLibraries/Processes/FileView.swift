import MeshpipeBase
import POSIX

/// The files visible to a confined program: some paths with everything below them, and links to
/// them.
package struct FileView: Equatable {
  /// A symbolic link outside the paths.
  struct Link: Equatable {
    var path: String
    var target: String
  }

  /// Programs, libraries and the files they need.
  ///
  /// No personal files are kept there.
  static let system = [
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu",
    "/snap",
    "/sys", "/var/cache/fontconfig", "/run/current-system", "/run/opengl-driver",
    // The target of /etc/resolv.conf.
    "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager",
  ]
  /// More links than this in one path are assumed to be a loop.
  private static let maximumLinks = 40

  /// Files and folders without links in their paths, none below another, sorted.
  private(set) var places: [String] = []
  private(set) var links: [Link] = []

  /// - Parameter paths: Absolute paths; missing ones are ignored.
  package init(of paths: [String]) {
    var places: Set<String> = []
    for path in paths {
      guard let (place, links) = Self.resolved(path), place != "/" else { continue }
      places.insert(place)
      for link in links where !self.links.contains(link) { self.links.append(link) }
    }
    for place in places.sorted() where !contains(place) { self.places.append(place) }
    links = links.filter { !contains($0.path) }
  }

  /// Everything.
  package static let everything: FileView = {
    var view = FileView(of: [])
    view.places = ["/"]
    return view
  }()

  /// Libraries and the loader's files, for a process that needs nothing else of the system.
  package static let libraries = [
    "/lib", "/lib32", "/lib64", "/libx32", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libx32",
    "/usr/local/lib", "/nix/store", "/gnu/store", "/etc/ld.so.cache",
  ]

  /// What every program needs, and additional paths.
  static func ofPrograms(and paths: [String]) -> FileView { FileView(of: system + paths) }

  /// Whether a path without links is visible.
  func contains(_ path: String) -> Bool {
    places.contains { $0 == "/" || path == $0 || path.hasPrefix("\($0)/") }
  }

  /// The path without links, and the links on the way; nil if it does not exist.
  private static func resolved(_ path: String) -> (place: String, links: [Link])? {
    guard path.hasPrefix("/") else { return nil }
    var links: [Link] = []
    var place = ""
    var rest = Array(path.split(separator: "/").reversed())
    while let part = rest.popLast() {
      if part == "." { continue }
      if part == ".." {
        place =
          place.isEmpty || FileSystem.folder(of: place) == "/" ? "" : FileSystem.folder(of: place)
        continue
      }
      let next = "\(place)/\(part)"
      guard FileSystem.isSymbolicLink(next) else {
        place = next
        continue
      }
      guard links.count < maximumLinks, let target = FileSystem.target(ofLink: next) else {
        return nil
      }
      links.append(Link(path: next, target: target))
      rest += target.split(separator: "/").reversed()
      if target.hasPrefix("/") { place = "" }
    }
    guard (try? FileSystem.status(of: place.isEmpty ? "/" : place)) ?? nil != nil else {
      return nil
    }
    return (place.isEmpty ? "/" : place, links)
  }
}
