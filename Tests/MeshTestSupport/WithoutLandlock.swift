/// Runs a program as on a kernel that has no Landlock, or where it is forbidden.
package enum WithoutLandlock {
  /// The command line for that, of the words of another: needs Python 3, and Linux.
  package static func command(_ words: [String]) -> [String] {
    ["/usr/bin/env", "python3", "-c", program] + words
  }

  /// Installs a filter of system calls by which `landlock_create_ruleset` is unknown.
  private static let program = """
    import ctypes, os, struct, sys
    steps = [(0x20, 0, 0, 0),           # the call's number
             (0x15, 0, 1, 444),         # is it that one?
             (0x06, 0, 0, 0x00050000 | 38),
             (0x06, 0, 0, 0x7fff0000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    class Filter(ctypes.Structure):
        _fields_ = [("count", ctypes.c_ushort), ("code", ctypes.c_void_p)]
    system = ctypes.CDLL(None, use_errno=True)
    rules = Filter(len(steps), ctypes.addressof(code))
    assert system.prctl(38, 1, 0, 0, 0) == 0
    assert system.prctl(22, 2, ctypes.byref(rules), 0, 0) == 0
    assert system.syscall(444, None, 0, 1) == -1
    os.execv(sys.argv[1], sys.argv[1:])
    """
}
