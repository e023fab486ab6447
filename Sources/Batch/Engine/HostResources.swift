import MeshPipeline
import NativeLibraries
import POSIX

/// The resources that this process may use.
package enum HostResources {
  /// The number of cores available, at least one, according to affinity and control group.
  package static var cores: Int {
    var cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    if let allowed = ProcessResources.allowedCores { cores = min(cores, allowed) }
    #if os(Linux)
      if let quota = ControlGroup.own?.cores { cores = min(cores, max(1, Int(quota.rounded(.up)))) }
    #endif
    return cores
  }

  /// The memory available for new work, in bytes.
  package static var availableMemory: Int {
    #if os(Linux)
      var available = Int.max
      for line in lines(of: "/proc/meminfo") where line.hasPrefix("MemAvailable:") {
        available = (Int(line.filter(\.isNumber)) ?? 0) * 1024
      }
      if let free = ControlGroup.own?.freeMemory { available = min(available, free) }
      if available < .max { return available }
    #endif
    return sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE)) / 2
  }

  fileprivate static func lines(of path: String) -> [Substring] {
    guard let bytes = try? FileSystem.contents(of: path, limit: 1 << 16) else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }
}

/// The limits of the process's control group, including its ancestors.
private struct ControlGroup {
  /// Bytes; nil if there is no limit.
  var freeMemory: Int?
  var cores: Double?

  static var own: ControlGroup? {
    var group = ControlGroup()
    for line in HostResources.lines(of: "/proc/self/cgroup") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      if fields[1].isEmpty {
        group.add(path: String(fields[2])) { group, folder in group.readVersion2(folder) }
      } else if fields[1].split(separator: ",").contains("memory") {
        group.add(path: "/memory" + fields[2]) { group, folder in group.readVersion1(folder) }
      }
    }
    return group
  }

  /// Checks a group and its ancestors; in a container their names may not be visible, and its own
  /// group is then the root.
  private mutating func add(path: String, read: (inout ControlGroup, String) -> Void) {
    var path = path
    while true {
      read(&self, "/sys/fs/cgroup" + path)
      guard path.count > 1 else { return }
      path = FileSystem.folder(of: path)
    }
  }

  private mutating func readVersion2(_ folder: String) {
    limitMemory(
      to: Self.number(folder + "/memory.max"), used: Self.number(folder + "/memory.current"),
      cache: Self.cache(folder + "/memory.stat", "inactive_file "))
    let quota = HostResources.lines(of: folder + "/cpu.max").first?.split(separator: " ") ?? []
    if quota.count == 2, let time = Double(quota[0]), let period = Double(quota[1]), period > 0 {
      cores = min(cores ?? .infinity, time / period)
    }
  }

  private mutating func readVersion1(_ folder: String) {
    limitMemory(
      to: Self.number(folder + "/memory.limit_in_bytes"),
      used: Self.number(folder + "/memory.usage_in_bytes"),
      cache: Self.cache(folder + "/memory.stat", "total_inactive_file "))
  }

  private mutating func limitMemory(to limit: Int?, used: Int?, cache: Int) {
    // Without a limit, version 1 reports a number of nearly 2⁶³.
    guard let limit, let used, limit < 1 << 60 else { return }
    freeMemory = min(freeMemory ?? .max, max(0, limit - max(0, used - cache)))
  }

  private static func number(_ path: String) -> Int? {
    HostResources.lines(of: path).first.flatMap { Int($0) }
  }

  /// Bytes of page cache that are freed when memory runs short.
  private static func cache(_ path: String, _ key: String) -> Int {
    for line in HostResources.lines(of: path) where line.hasPrefix(key) {
      return Int(line.dropFirst(key.count)) ?? 0
    }
    return 0
  }
}
