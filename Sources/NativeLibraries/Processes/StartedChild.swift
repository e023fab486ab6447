internal import CSandbox
import POSIX

/// A newly started program in its own process group, with the ends of its three streams.
///
/// The owner closes the streams, and waits for the end of the process.
struct StartedChild {
  let id: pid_t
  /// A socket, so that writing to a child that has ended raises no signal.
  let input: Int32
  let output: Int32
  let errors: Int32

  /// Starts a program.
  ///
  /// - Parameter shared: A descriptor that it gets as ``SharedMemory/childDescriptor``; negative
  ///   for none.
  /// - Throws: ``WorkerError/notStarted(executable:reason:)``.
  init(
    executable: String, arguments: [String], environment: [String], shared: Int32 = -1
  ) throws(WorkerError) {
    var opened: [Int32] = []
    func failed(_ error: Int32) -> WorkerError {
      for descriptor in opened { close(descriptor) }
      if [EAGAIN, ENOMEM, EMFILE, ENFILE].contains(error) {
        return .noRoom(reason: text(ofError: error))
      }
      return .notStarted(executable: executable, reason: text(ofError: error))
    }
    func pair(
      _ make: (UnsafeMutablePointer<Int32>) -> Int32
    ) throws(WorkerError) -> (Int32, Int32) {
      var ends: (Int32, Int32) = (-1, -1)
      let error = unsafe withUnsafeMutablePointer(to: &ends) { ends in
        unsafe ends.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe make($0) }
      }
      guard error == 0 else { throw failed(error) }
      opened += [ends.0, ends.1]
      return ends
    }
    let inputEnds = try unsafe pair(sandbox_socket_pair)
    let outputEnds = try unsafe pair(sandbox_pipe)
    let errorEnds = try unsafe pair(sandbox_pipe)
    var process: pid_t = 0
    let error = unsafe withCStrings([executable] + arguments) { arguments in
      unsafe withCStrings(environment) { environment in
        unsafe sandbox_spawn(
          executable.systemPath, arguments, environment, inputEnds.0, outputEnds.1, errorEnds.1,
          shared,
          &process)
      }
    }
    guard error == 0 else { throw failed(error) }
    for descriptor in [inputEnds.0, outputEnds.1, errorEnds.1] { close(descriptor) }
    (id, input, output, errors) = (process, inputEnds.1, outputEnds.0, errorEnds.0)
  }
}

/// Calls `body` with a nil-terminated list of C strings.
@unsafe
func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = unsafe strings.map { unsafe strdup($0.systemPath) }
  unsafe pointers.append(nil)
  defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
  return unsafe body(&pointers)
}
