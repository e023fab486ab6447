// Feeds a reader with damaged inputs through libFuzzer, which keeps what reaches code that no other input
// has reached (https://llvm.org/docs/LibFuzzer.html). `Tools/fuzz.sh` builds and runs it.

import CFuzzer
import Foundation

/// Where the function that libFuzzer calls finds it, since a C function captures nothing.
enum Chosen {
  /// In the environment, since libFuzzer starts the program anew with arguments of its own.
  static let name = ProcessInfo.processInfo.environment["MESHPIPE_FUZZ_TARGET"] ?? ""
  static let target = FuzzTarget.all.first { $0.name == name }
}

guard let target = Chosen.target else {
  // A list for the script.
  print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
  exit(Chosen.name.isEmpty ? 0 : 64)
}

if let folder = ProcessInfo.processInfo.environment["MESHPIPE_FUZZ_SEEDS"] {
  for (index, seed) in try target.seeds().enumerated() {
    try Data(seed).write(to: URL(filePath: "\(folder)/seed-\(index)"))
  }
  exit(0)
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(
  LLVMFuzzerRunDriver(&count, &arguments) { data, size in
    Chosen.target?.check(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
  })
