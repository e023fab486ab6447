#if os(Linux)
  import Foundation
  import MeshTestSupport
  import Testing

  /// A library that what it decodes has taken over, in place of a system's.
  struct HostileLibrary {
    /// The file name of the library that it stands in for.
    var file: String
    /// Its functions in C, which may call `act()`, and `can_do_harm()` where SPY is defined.
    var source: String

    /// What hostile code would do.
    ///
    /// `act()` ends the process in the way that is defined, `can_do_harm()` tells whether any deed outside of it succeeds.
    /// SECRET is a file of somebody's.
    private static let deeds = """
      #include <fcntl.h>
      #include <stdint.h>
      #include <stdlib.h>
      #include <string.h>
      #include <sys/socket.h>
      #include <unistd.h>
      static int can_do_harm(void) {
        if (open(SECRET, O_RDONLY) >= 0 || open("/etc/passwd", O_RDONLY) >= 0) return 1;
        if (open(SECRET ".new", O_WRONLY | O_CREAT, 0600) >= 0 || unlink(SECRET) == 0) return 1;
        if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0) return 1;
        return execl("/bin/true", "true", (char *)0) == 0;
      }
      static void act(void) {
      #if defined(CRASH)
        *(volatile int *)8 = 1;
      #elif defined(MEMORY)
        for (;;) memset(malloc(1 << 24), 1, 1 << 24);
      #elif defined(END)
        _exit(0);
      #endif
      }

      """

    /// Runs the command with the library, beside a file `secret`.
    ///
    /// - Parameters:
    ///   - way: CRASH, MEMORY, END or SPY.
    ///   - definitions: Further ones for the source.
    func run(
      _ arguments: [String], _ way: String, definitions: [String] = [],
      in folder: CommandTests.TemporaryFolder
    ) throws -> Outcome {
      try folder.write("of nobody's concern", to: "secret")
      let tools = try MeshTestSupport.TemporaryFolder()
      try tools.write("library.c", Self.deeds + source)
      let made = try Program.run(
        Checkers.program("cc"),
        [
          "-shared", "-fPIC", "-w", "-D\(way)", "-DSECRET=\"\(folder.path)/secret\"", "library.c",
          "-o", file,
        ] + definitions.map { "-D\($0)" }, in: tools.path)
      try #require(made.status == 0, "\(made.errors)")
      return try CommandProcess.run(
        CommandProcess.executable, arguments, in: folder,
        environment: CommandProcess.environment(findingLibrariesIn: tools.path))
    }
  }
#endif
