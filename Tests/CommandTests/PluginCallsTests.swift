import Foundation
import MeshTestSupport
import Testing

#if os(Linux)
  /// The system calls of plugins: those for their work succeed, and those that change what is not theirs fail.
  @Suite(.enabled(if: CommandProcess.program("python3") != nil, "needs Python 3"))
  struct PluginCallsTests {
    /// What confines plugins here, by the value of `MESHPIPE_BWRAP` that asks for it.
    private static let guards =
      [""] + (BadPluginTests.Guard.bubblewrapWorks ? ["/usr/bin/bwrap"] : [])

    /// Runs a plugin whose program ends without a result, and returns what the command says, with its last words.
    private func errors(
      of program: String, _ interpreter: String, in folder: TemporaryFolder, bubblewrap: String,
      network: Bool = false
    ) throws -> String {
      try folder.writeScan()
      try folder.write(program, to: "p/work")
      try folder.write(
        """
        { "meshpipePlugin": 1, "name": "work", "version": "1", "protocol": 1,
          "interpreter": ["\(interpreter)"], "executable": "work", "network": \(network),
          "stages": [ { "name": "toil", "summary": "Works." } ] }
        """, to: "p/work.meshpipe-plugin.json")
      var environment = CommandProcess.environment
      environment["MESHPIPE_BWRAP"] = bubblewrap
      return try CommandProcess.run(
        CommandProcess.executable,
        ["run", "scan.obj", "-s", "toil", "-o", "o.ply", "--plugins", "p"]
          + (network ? ["--allow-network", "work"] : []),
        in: folder, environment: environment
      ).errors
    }

    /// Tells what succeeds of what changes a file that may be read at most, or the machine.
    private static let hostile = """
      import ctypes, errno, fcntl, os, resource, socket, struct, sys
      victim = os.path.join(os.path.dirname(os.path.abspath(__file__)), "victim")
      own = open("own", "w").name
      link = os.open(victim, os.O_RDONLY)
      libc = ctypes.CDLL(None, use_errno=True)
      arm = os.uname().machine == "aarch64"
      done = []
      def attempt(deed, action):
          try:
              action()
              done.append(deed)
          except OSError as error:
              if error.errno not in (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EROFS):
                  done.append(f"{deed} ({error})")
      def call(result):
          if result < 0:
              raise OSError(ctypes.get_errno(), "refused")
      for name, file in ("path", victim), ("descriptor", link), ("own", own):
          attempt(f"chmod {name}", lambda: os.chmod(file, 0o777))
          attempt(f"chown {name}", lambda: os.chown(file, os.getuid(), os.getgid()))
          attempt(f"utime {name}", lambda: os.utime(file, (0, 0)))
          attempt(f"setxattr {name}", lambda: os.setxattr(file, "user.x", b"1"))
      attempt("lchown", lambda: os.lchown(victim, os.getuid(), os.getgid()))
      attempt("fchmodat2", lambda: call(libc.syscall(452, -100, victim.encode(), 0o777, 0)))
      attempt("truncate", lambda: os.truncate(victim, 0))
      attempt("open to empty", lambda: os.open(victim, os.O_RDONLY | os.O_TRUNC))
      attempt("chattr", lambda: fcntl.ioctl(link, 0x40086602, struct.pack("l", 0x40)))
      attempt("mount", lambda: call(libc.mount(b"none", b".", b"tmpfs", 0, None)))
      attempt("bpf", lambda: call(libc.syscall(280 if arm else 321, 0, 0, 0)))
      attempt("user namespace", lambda: call(libc.unshare(0x10000000)))
      attempt("clone", lambda: call(libc.syscall(220 if arm else 56, 0x10000011, 0, 0, 0, 0)))
      attempt("io_uring", lambda: call(libc.syscall(425, 1, bytes(120))))
      attempt("userfaultfd", lambda: call(libc.syscall(282 if arm else 323, 1)))
      attempt("perf", lambda: call(libc.syscall(241 if arm else 298, bytes(120), 0, -1, -1, 0)))
      attempt("limit another", lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0)))
      attempt("datagrams", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
      print("succeeded:", ", ".join(done) or "nothing", file=sys.stderr)
      sys.exit(3)
      """

    @Test(arguments: guards, [false, true])
    func `a plugin changes neither mode, owner, times nor attributes of a file`(
      bubblewrap: String, network: Bool
    ) throws {
      let folder = try TemporaryFolder()
      let victim = try folder.write("precious", to: "p/victim")
      let date = Date(timeIntervalSince1970: 1_500_000_000)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600, .modificationDate: date], ofItemAtPath: victim)
      let said = try errors(
        of: Self.hostile, "python3", in: folder, bubblewrap: bubblewrap, network: network)
      #expect(said.contains("succeeded: nothing"), "\(said)")
      let after = try FileManager.default.attributesOfItem(atPath: victim)
      #expect(after[.posixPermissions] as? Int == 0o600)
      #expect(after[.modificationDate] as? Date == date)
      #expect(try folder.text(of: "p/victim") == "precious")
    }

    /// Does what programs in Python do, with numpy where it is installed.
    private static let industrious = """
      import asyncio, concurrent.futures, fcntl, mmap, multiprocessing, os, resource, select
      import shutil, signal, socket, sqlite3, subprocess, sys, tempfile, threading, time
      def square(number):
          return number * number
      def files():
          os.makedirs("a/b")
          with open("a/b/c", "w+") as file:
              file.write("words")
              file.flush()
              fcntl.flock(file, fcntl.LOCK_EX)
              os.fsync(file.fileno())
              os.ftruncate(file.fileno(), 4)
              with mmap.mmap(file.fileno(), 4) as view:
                  assert view[:] == b"word"
          os.rename("a/b/c", "a/d")
          os.symlink("d", "a/e")
          os.link("a/d", "a/f")
          shutil.copyfile("a/e", "g")
          os.mkfifo("h")
          os.unlink("h")
          assert sorted(os.listdir("a")) == ["b", "d", "e", "f"]
          shutil.rmtree("a")
          with tempfile.NamedTemporaryFile() as file, tempfile.TemporaryDirectory():
              os.statvfs(file.name)
          base = sqlite3.connect("base")
          base.execute("create table t (x)")
          base.commit()
      async def processes():
          child = await asyncio.create_subprocess_exec("sh", "-c", "exit 4")
          assert await child.wait() == 4
      def work():
          files()
          assert subprocess.run(["sh", "-c", "echo b; echo a"], capture_output=True).stdout == b"b\\na\\n"
          asyncio.run(processes())
          with concurrent.futures.ThreadPoolExecutor(4) as pool:
              assert list(pool.map(square, range(3))) == [0, 1, 4]
          for way in "fork", "spawn":
              context = multiprocessing.get_context(way)
              here, there = context.Pipe()
              child = context.Process(target=there.send, args=(3,))
              child.start()
              assert here.recv() == 3
              child.join()
          one, other = socket.socketpair()
          one.sendall(b"x")
          assert select.select([other], [], [], 5)[0] and other.recv(1) == b"x"
          resource.getrlimit(resource.RLIMIT_NOFILE)
          resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
          os.sched_getaffinity(0)
          signal.signal(signal.SIGALRM, lambda *_: None)
          signal.setitimer(signal.ITIMER_REAL, 0.01)
          signal.pause()
          child = subprocess.Popen(["sleep", "60"])
          child.terminate()
          assert child.wait() == -signal.SIGTERM
          try:
              import numpy
          except ImportError:
              return
          matrix = numpy.random.default_rng(1).normal(size=(300, 300))
          numpy.save("m.npy", matrix @ numpy.linalg.inv(matrix))
          assert abs(numpy.load("m.npy", mmap_mode="r") - numpy.eye(300)).max() < 1e-6
      if __name__ == "__main__":
          work()
          print("all done", file=sys.stderr)
          sys.exit(3)
      """

    @Test(arguments: guards)
    func `what programs in Python do works`(bubblewrap: String) throws {
      let said = try errors(
        of: Self.industrious, "python3", in: TemporaryFolder(), bubblewrap: bubblewrap)
      #expect(said.contains("its last output: all done"), "\(said)")
    }

    @Test(arguments: guards)
    func `what scripts of the shell do works`(bubblewrap: String) throws {
      let script = """
        set -eu
        mkdir -p a/b && echo words > a/b/c
        cp a/b/c d && mv d e && ln -s e f && ls -l f > list
        (sort e | tr a-z A-Z; sleep 0.01) > g & wait
        [ "$(cat g)" = WORDS ] && rm -r a && umask 077 && : > h
        find . -name h | grep -q h
        echo all done >&2; exit 3
        """
      let said = try errors(of: script, "sh", in: TemporaryFolder(), bubblewrap: bubblewrap)
      #expect(said.contains("its last output: all done"), "\(said)")
    }
  }
#endif
