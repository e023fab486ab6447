import Foundation
import MeshTestSupport
import Testing

/// Plugins reach the network only where they ask for it and the user allows it.
@Suite(.enabled(if: CommandProcess.program("python3") != nil, "needs Python 3"))
struct PluginNetworkTests {
  /// Sockets that wait for whoever connects: at a port of this machine, and at a path.
  private final class Listener {
    let port: UInt16
    private let sockets: [Int32]

    init(path: String) throws {
      #if os(Linux)
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
      #else
        let kind = SOCK_STREAM
      #endif
      let sockets = [socket(AF_INET, kind, 0), socket(AF_UNIX, kind, 0)]
      var internet = sockaddr_in()
      internet.sin_family = sa_family_t(AF_INET)
      internet.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var local = sockaddr_un()
      local.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &local.sun_path) { $0.copyBytes(from: path.utf8) }
      try Self.listen(sockets[0], &internet)
      try Self.listen(sockets[1], &local)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      _ = withUnsafeMutablePointer(to: &internet) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getsockname(sockets[0], $0, &length)
        }
      }
      port = UInt16(bigEndian: internet.sin_port)
      self.sockets = sockets
    }

    private static func listen<Address>(_ socket: Int32, _ address: inout Address) throws {
      let status = withUnsafeMutablePointer(to: &address) { address in
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, socklen_t(MemoryLayout<Address>.size))
        }
      }
      try #require(status == 0 && Foundation.listen(socket, 64) == 0)
    }

    deinit { for socket in sockets { close(socket) } }
  }

  @Test(arguments: [true, false])
  func `a plugin reaches what it asks for and the user allows`(asks: Bool) throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    let socket = folder.url.path + "/s"
    let listener = try Listener(path: socket)
    defer { withExtendedLifetime(listener) {} }
    // It ends without a result; its last words are told.
    try folder.write(
      """
      import socket, sys
      def reaches(family, address):
          try:
              with socket.socket(family) as link:
                  link.settimeout(20)
                  link.connect(address)
              return "yes"
          except OSError:
              return "no"
      print("internet:", reaches(socket.AF_INET, ("127.0.0.1", \(listener.port))),
            "local:", reaches(socket.AF_UNIX, "\(socket)"), file=sys.stderr)
      sys.exit(3)
      """, to: "p/call.py")
    try folder.write(
      """
      { "meshpipePlugin": 1, "name": "call", "version": "1", "protocol": 1,
        "interpreter": ["python3"], "executable": "call.py", "network": \(asks),
        "stages": [ { "name": "call-home", "summary": "Calls." } ] }
      """, to: "p/call.meshpipe-plugin.json")
    for bubblewrap in [""] + (BadPluginTests.Guard.bubblewrapWorks ? ["/usr/bin/bwrap"] : []) {
      var environment = CommandProcess.environment
      environment["MESHPIPE_BWRAP"] = bubblewrap
      func call(_ options: String...) throws -> String {
        try CommandProcess.run(
          CommandProcess.executable,
          ["run", "scan.obj", "-s", "call-home", "-o", "o.ply", "--plugins", "p"] + options,
          in: folder, environment: environment
        ).errors
      }
      let none = "internet: no local: no"
      let reached = asks ? "internet: yes local: no" : none
      #if os(Linux)
        #expect(try call().contains(none))
        #expect(try call("--allow-network", "other").contains(none))
      #endif
      #expect(try call("--allow-network", "call").contains(reached))
      environment["MESHPIPE_PLUGIN_NETWORK"] = "call"
      #expect(try call().contains(reached))
    }
  }
}
